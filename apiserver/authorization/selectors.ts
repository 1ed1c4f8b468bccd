/**
 * The selectors of a request as authorization attributes. Requirements without an equivalent there are omitted
 * (upstream behaviour), so that an authorizer may see a broader request than the client sent.
 */
import { parseFieldSelector } from '../../shared/api/selectors/field-selector';
import { parseLabelSelector, type LabelOperator } from '../../shared/api/selectors/label-selector';
import { SelectorError } from '../../shared/api/selectors/selector-error';
import type {
  AuthorizationV1FieldSelectorAttributes,
  AuthorizationV1LabelSelectorAttributes,
  MetaV1FieldSelectorRequirement,
} from '../../shared/api/types/generated/members';

/** The selectors of a request, in the form of SubjectAccessReview attributes. A selector without requirements is absent. */
export interface RequestSelectors {
  readonly fieldSelector?: AuthorizationV1FieldSelectorAttributes;
  readonly labelSelector?: AuthorizationV1LabelSelectorAttributes;
}

/** The operators of SubjectAccessReview for those of label selectors; `undefined` where it has none. */
const OPERATORS: Readonly<Record<LabelOperator, string | undefined>> = {
  '=': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  absent: 'DoesNotExist',
  '>': undefined,
  '<': undefined,
};

/** The texts of the selectors of a request; absent when it has none. */
export interface SelectorTexts {
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
}

/**
 * Reads the selectors. One that cannot be parsed has no requirements here: the request is rejected later, where the kind
 * of the objects is known.
 */
export function selectorsOf({ fieldSelector = '', labelSelector = '' }: SelectorTexts): RequestSelectors {
  const fields = emptyOnSelectorError(() => fieldRequirements(fieldSelector));
  const labels = emptyOnSelectorError(() => labelRequirements(labelSelector));
  return {
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
  };
}

function fieldRequirements(selector: string): MetaV1FieldSelectorRequirement[] {
  return parseFieldSelector(selector).map(({ field, operator, value }) => requirement(field, operator === '=' ? 'In' : 'NotIn', [value]));
}

function labelRequirements(selector: string): MetaV1FieldSelectorRequirement[] {
  return parseLabelSelector(selector).flatMap(({ key, operator, values }) => {
    const reviewOperator = OPERATORS[operator];
    return reviewOperator === undefined ? [] : [requirement(key, reviewOperator, values)];
  });
}

const requirement = (key: string, operator: string, values: readonly string[]): MetaV1FieldSelectorRequirement => ({
  key,
  operator,
  ...(values.length === 0 ? {} : { values: [...values] }),
});

/** Empty when `read` cannot parse the selector. */
function emptyOnSelectorError(read: () => MetaV1FieldSelectorRequirement[]): MetaV1FieldSelectorRequirement[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof SelectorError) return [];
    throw error;
  }
}
