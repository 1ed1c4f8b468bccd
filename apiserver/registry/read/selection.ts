/**
 * From the texts of `labelSelector` and `fieldSelector` to a {@link Selection} over cache entries of one kind.
 *
 * It works on what an entry carries beside its body (key, labels, selectable fields), so matching never parses an object.
 */
import { canonicalApiVersion, otherQualifiedName } from '../../../shared/names/dialect';
import { apiVersionOf } from '../../../shared/api/identity/identity';
import type { KindRow, SelectableField } from '../../../shared/api/kinds';
import { quote } from '../../../shared/values/quote';
import { parseFieldSelector, type FieldTerm } from '../../../shared/api/selectors/field-selector';
import { compileLabelSelector, parseLabelSelector } from '../../../shared/api/selectors/label-selector';
import { SelectorError } from '../../../shared/api/selectors/selector-error';
import { badRequest } from '../../../shared/api/errors/status';
import type { Entry, SelectedField } from '../../cache/cache';
import type { Selection } from '../verbs';
import { codecOf } from '../../../shared/api/codec/codec';
import { fieldReader } from '../object/field-reader';
import { isWrittenWith, writtenVersion } from '../object/hidden-fields';
import { parseEntry } from '../object/stored-object';

type Matcher = (entry: Entry) => boolean;

/** Selects everything in the place that was asked for. */
export const EVERYTHING: Selection = { filters: false, matches: () => true };

/**
 * @param row the kind that is selected from; its row says which fields there are
 * @param canonicalNamespace where a namespace is stored under another name than it was asked for (aliases of the system namespaces)
 * @throws StatusError 400 for a selector that cannot be read and for a field that the kind does not have
 */
export function selectionFor(
  row: KindRow,
  labelSelector: string,
  fieldSelector: string,
  canonicalNamespace: (namespace: string) => string = (namespace) => namespace,
): Selection {
  if (labelSelector === '' && fieldSelector === '') return EVERYTHING;
  try {
    return select(row, labelSelector, fieldSelector, canonicalNamespace);
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

function select(row: KindRow, labelSelector: string, fieldSelector: string, canonicalNamespace: (namespace: string) => string): Selection {
  const requirements = parseLabelSelector(labelSelector);
  const terms = parseFieldSelector(fieldSelector).map((term) => inStoredSpelling(row, term, canonicalNamespace));
  const compiled = terms.map((term) => ({ term, matches: fieldMatcher(row, term) }));
  if (requirements.length === 0 && terms.length === 0) return EVERYTHING;

  const matchers: Matcher[] = compiled.map(({ matches }) => matches);
  if (requirements.length > 0) {
    const matchesLabels = compileLabelSelector(requirements);
    matchers.push((entry) => matchesLabels(entry.labels));
  }
  const name = pinned(terms, 'metadata.name');
  const namespace = pinned(terms, 'metadata.namespace');
  const indexed = indexedTerm(row, terms);
  const places = (name === undefined ? 0 : 1) + (namespace === undefined ? 0 : 1);
  return {
    filters: matchers.length > places,
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(indexed === undefined ? {} : { indexed }),
    matches: all(matchers),
  };
}

function all(matchers: readonly Matcher[]): Matcher {
  const [only, second] = matchers;
  if (only !== undefined && second === undefined) return only;
  return (entry) => {
    for (const matches of matchers) if (!matches(entry)) return false;
    return true;
  };
}

/** The value that a field must have, if a term says so. */
function pinned(terms: readonly FieldTerm[], field: string): string | undefined {
  return terms.find((term) => term.field === field && term.operator === '=')?.value;
}

/** The first value that a field which the kind has indexed must have. */
function indexedTerm(row: KindRow, terms: readonly FieldTerm[]): SelectedField | undefined {
  for (const { name, storedName, indexed } of row.selectableFields ?? []) {
    const value = indexed === true ? pinned(terms, name) : undefined;
    if (value !== undefined) return { field: storedName ?? name, value };
  }
  return undefined;
}

function fieldMatcher(row: KindRow, term: FieldTerm): Matcher {
  const { field, value } = term;
  const equal = term.operator === '=';
  if (field === 'metadata.name') return (entry) => (nameOf(row, entry.key) === value) === equal;
  // Namespaces and nodes refuse this field; other cluster-scoped kinds have an empty one.
  if (field === 'metadata.namespace' && (row.namespaced || row.fieldLabelErrorForm === undefined)) {
    return (entry) => (namespaceOf(row, entry.key) === value) === equal;
  }
  const selectable = row.selectableFields?.find((candidate) => candidate.name === field);
  if (selectable === undefined) throw new SelectorError(unknownField(row, field));
  return storedFieldMatcher(row, selectable, value, equal);
}

function storedFieldMatcher(row: KindRow, selectable: SelectableField, value: string, equal: boolean): Matcher {
  const { absent = '' } = selectable;
  const reader = fieldReader(selectable);
  const name = selectable.storedName ?? selectable.name;
  // Secret types and signer names have two spellings and are stored as sent. Values in custom objects are not names of the product.
  const other = row.custom === undefined ? otherQualifiedName(value) : undefined;
  return (entry) => {
    // What a custom object was stored with may be the fields of another version.
    const { custom } = row;
    const found =
      custom === undefined || isWrittenWith(custom, entry)
        ? (entry.fields[name] ?? absent)
        : reader.read(codecOf(row).fromStored(parseEntry(entry).object, writtenVersion(custom, entry)));
    return (found === value || (other !== undefined && found === other)) === equal;
  };
}

function unknownField(row: KindRow, field: string): string {
  if (row.fieldLabelErrorForm === 'plain') return `field label not supported: ${field}`;
  if (row.fieldLabelErrorForm === 'with-version') return `field label not supported for ${apiVersionOf(row)}, Kind=${row.kind}: ${field}`;
  if (row.fieldLabelErrorForm === 'with-kind') return `field label ${quote(field)} not supported for ${row.kind}`;
  return `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/** Values that name groups or system namespaces are stored in one spelling. */
function inStoredSpelling(row: KindRow, term: FieldTerm, canonicalNamespace: (namespace: string) => string): FieldTerm {
  const namesNamespace = term.field.endsWith('.namespace') || (term.field === 'metadata.name' && row.nameIsNamespace === true);
  if (namesNamespace) return { ...term, value: canonicalNamespace(term.value) };
  if (term.field.endsWith('.apiVersion')) return { ...term, value: canonicalApiVersion(term.value) };
  return term;
}

function nameOf(row: KindRow, key: string): string {
  return row.namespaced ? key.slice(key.indexOf('/') + 1) : key;
}

function namespaceOf(row: KindRow, key: string): string {
  return row.namespaced ? key.slice(0, key.indexOf('/')) : '';
}
