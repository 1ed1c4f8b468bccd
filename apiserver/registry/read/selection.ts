/**
 * Builds a {@link Selection} over the cache entries of a kind from `labelSelector` and `fieldSelector`.
 *
 * Matching uses the key, labels and selectable fields of an entry, so it does not parse objects. Exception: a term about
 * a field of a custom object that was stored with another schema.
 */
import { canonicalApiVersion, otherQualifiedName } from '../../../shared/names/dialect';
import { apiVersionOf } from '../../../shared/api/identity/identity';
import type { KindRow, SelectableField } from '../../../shared/api/kinds';
import { quote } from '../../../shared/values/text/quote';
import { parseFieldSelector, type FieldTerm } from '../../../shared/api/selectors/field-selector';
import { compileLabelSelector, parseLabelSelector } from '../../../shared/api/selectors/label-selector';
import { SelectorError } from '../../../shared/api/selectors/selector-error';
import { badRequest } from '../../../shared/api/errors/status';
import type { Entry, SelectedField } from '../../cache/cache';
import type { Selection } from '../verbs';
import { codecOf } from '../../../shared/api/codec/codec';
import { fieldReader } from '../object/field-reader';
import { isStoredWithSchema, storedVersionOf } from '../object/hidden-fields';
import { parseEntry } from '../object/stored-object';

type Matcher = (entry: Entry) => boolean;

/** Matches every object of the listed namespace or cluster. */
export const EVERYTHING: Selection = { hasFilters: false, matches: () => true };

/**
 * @param row the kind, with its selectable fields
 * @param labelSelector the query parameter, empty when absent: `app=web`
 * @param fieldSelector the query parameter, empty when absent: `metadata.name=a`
 * @param canonicalNamespace the stored name of a namespace that has aliases (the system namespaces)
 * @throws StatusError 400 for an invalid selector and for a field that the kind does not have
 */
export function selectionFor(
  row: KindRow,
  labelSelector: string,
  fieldSelector: string,
  canonicalNamespace: (namespace: string) => string = (namespace) => namespace,
): Selection {
  if (labelSelector === '' && fieldSelector === '') return EVERYTHING;
  try {
    return buildSelection(row, labelSelector, fieldSelector, canonicalNamespace);
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

function buildSelection(
  row: KindRow,
  labelSelector: string,
  fieldSelector: string,
  canonicalNamespace: (namespace: string) => string,
): Selection {
  const requirements = parseLabelSelector(labelSelector);
  const terms = parseFieldSelector(fieldSelector).map((term) => toStoredSpelling(row, term, canonicalNamespace));
  if (requirements.length === 0 && terms.length === 0) return EVERYTHING;
  const matchers = terms.map((term) => fieldMatcher(row, term));
  if (requirements.length > 0) {
    const matchesLabels = compileLabelSelector(requirements);
    matchers.push((entry) => matchesLabels(entry.labels));
  }
  const name = requiredValue(terms, 'metadata.name');
  const namespace = requiredValue(terms, 'metadata.namespace');
  const indexed = requiredIndexedField(row, terms);
  const scopeTermCount = (name === undefined ? 0 : 1) + (namespace === undefined ? 0 : 1);
  return {
    hasFilters: matchers.length > scopeTermCount,
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(indexed === undefined ? {} : { indexed }),
    matches: matchAll(matchers),
  };
}

function matchAll(matchers: readonly Matcher[]): Matcher {
  const [only, second] = matchers;
  if (only !== undefined && second === undefined) return only;
  return (entry) => {
    for (const matches of matchers) if (!matches(entry)) return false;
    return true;
  };
}

/** The value that the terms require for a field, if they require one. */
function requiredValue(terms: readonly FieldTerm[], field: string): string | undefined {
  return terms.find((term) => term.field === field && term.operator === '=')?.value;
}

/** The first indexed field of the kind for which the terms require a value. */
function requiredIndexedField(row: KindRow, terms: readonly FieldTerm[]): SelectedField | undefined {
  for (const { name, storedName, indexed } of row.selectableFields ?? []) {
    const value = indexed === true ? requiredValue(terms, name) : undefined;
    if (value !== undefined) return { field: storedName ?? name, value };
  }
  return undefined;
}

function fieldMatcher(row: KindRow, term: FieldTerm): Matcher {
  const { field, value } = term;
  const shouldEqual = term.operator === '=';
  if (field === 'metadata.name') return (entry) => (nameOf(row, entry.key) === value) === shouldEqual;
  // Cluster-scoped kinds with an error form of their own (Namespace, Node, CertificateSigningRequest, ResourceSlice) do not
  // support this field; for other cluster-scoped kinds it is empty.
  if (field === 'metadata.namespace' && (row.namespaced || row.fieldLabelErrorForm === undefined)) {
    return (entry) => (namespaceOf(row, entry.key) === value) === shouldEqual;
  }
  const selectable = row.selectableFields?.find((candidate) => candidate.name === field);
  if (selectable === undefined) throw new SelectorError(unknownField(row, field));
  return storedFieldMatcher(row, selectable, term);
}

function storedFieldMatcher(row: KindRow, selectable: SelectableField, { operator, value }: FieldTerm): Matcher {
  const { absent = '' } = selectable;
  const shouldEqual = operator === '=';
  const reader = fieldReader(selectable);
  const name = selectable.storedName ?? selectable.name;
  // Secret types and signer names have two spellings and are stored as sent. Values in custom objects have only one.
  const otherSpelling = row.custom === undefined ? otherQualifiedName(value) : undefined;
  return (entry) => {
    // The fields in the header of a custom object may have been read with the paths of another version, so the object is
    // parsed, converted and read again.
    const { custom } = row;
    const actual =
      custom === undefined || isStoredWithSchema(custom, entry)
        ? (entry.fields[name] ?? absent)
        : reader.read(codecOf(row).fromStored(parseEntry(entry).object, storedVersionOf(custom, entry)));
    return (actual === value || (otherSpelling !== undefined && actual === otherSpelling)) === shouldEqual;
  };
}

function unknownField(row: KindRow, field: string): string {
  if (row.fieldLabelErrorForm === 'plain') return `field label not supported: ${field}`;
  if (row.fieldLabelErrorForm === 'with-version') return `field label not supported for ${apiVersionOf(row)}, Kind=${row.kind}: ${field}`;
  if (row.fieldLabelErrorForm === 'with-kind') return `field label ${quote(field)} not supported for ${row.kind}`;
  return `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/** Converts group names and system namespaces in a term to the spelling in which they are stored. */
function toStoredSpelling(row: KindRow, term: FieldTerm, canonicalNamespace: (namespace: string) => string): FieldTerm {
  const isNamespaceName = term.field.endsWith('.namespace') || (term.field === 'metadata.name' && row.nameIsNamespace === true);
  if (isNamespaceName) return { ...term, value: canonicalNamespace(term.value) };
  if (term.field.endsWith('.apiVersion')) return { ...term, value: canonicalApiVersion(term.value) };
  return term;
}

function nameOf(row: KindRow, key: string): string {
  return row.namespaced ? key.slice(key.indexOf('/') + 1) : key;
}

function namespaceOf(row: KindRow, key: string): string {
  return row.namespaced ? key.slice(0, key.indexOf('/')) : '';
}
