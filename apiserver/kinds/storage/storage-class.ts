/**
 * StorageClass strategy: parameters, policies and topologies. Provisioner, parameters, reclaim policy and binding mode
 * are immutable, because volumes were provisioned with them.
 */
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  unsupportedValue,
  requiredValue,
  tooLongValue,
  type FieldError,
} from '../../../shared/api/errors/field-error';
import { equalJson, isEmptyObject, ownMember, setMember, stringAt, stringifyJson, type JsonObject } from '../../../shared/values/json';
import { checkQualifiedName } from '../../../shared/values/name-formats';
import { findDeprecatedNodeLabels } from '../core/node/deprecated-node-labels';
import { checkDistinct, checkFormat, type Errors } from '../rules/checks';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type {
  CoreV1TopologySelectorLabelRequirement,
  CoreV1TopologySelectorTerm,
  StorageV1StorageClass,
} from '../../../shared/api/types/generated/members';

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
/** The message about more parameters calls this number bytes (upstream behaviour). */
const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;

export const storageClass: Strategy<StorageV1StorageClass> = {
  validate(object) {
    const errors: Errors = [];
    checkProvisioner(object.provisioner ?? '', errors);
    checkParameters(object.parameters ?? {}, errors);
    const policy = object.reclaimPolicy ?? '';
    if (policy !== '' && !RECLAIM_POLICIES.includes(policy)) errors.push(unsupportedValue('reclaimPolicy', policy, RECLAIM_POLICIES));
    const mode = object.volumeBindingMode ?? '';
    if (!BINDING_MODES.includes(mode)) errors.push(unsupportedValue('volumeBindingMode', mode, BINDING_MODES));
    checkTopologies(object.allowedTopologies ?? [], errors);
    return errors;
  },
  update: { stages: UPDATE.objectThenChange, validate: validateUpdate },
  warningsOnCreate: topologyWarnings,
  warningsOnUpdate: topologyWarnings,
};

function topologyWarnings({ allowedTopologies }: StorageV1StorageClass): readonly string[] {
  const warnings: string[] = [];
  allowedTopologies?.forEach((term, index) => {
    term.matchLabelExpressions?.forEach(({ key = '' }, expressionIndex) => {
      const field = `allowedTopologies[${index}].matchLabelExpressions[${expressionIndex}].key`;
      for (const { advice } of findDeprecatedNodeLabels([key])) warnings.push(`${field}: ${advice}`);
    });
  });
  return warnings;
}

function checkProvisioner(provisioner: string, errors: Errors): void {
  if (provisioner === '') errors.push(requiredValue('provisioner'));
  else checkFormat(provisioner.toLowerCase(), 'provisioner', checkQualifiedName, errors);
}

function checkParameters(parameters: Record<string, string>, errors: Errors): void {
  const names = Object.keys(parameters);
  if (names.length > MAX_PARAMETERS) {
    errors.push(tooLongValue('parameters', MAX_PARAMETERS));
    return;
  }
  let bytes = 0;
  for (const name of names) {
    if (name === '') errors.push(invalidValue('parameters', name, 'field can not be empty.'));
    bytes += Buffer.byteLength(name) + Buffer.byteLength(stringAt(parameters, name) ?? '');
  }
  if (bytes > MAX_PARAMETER_BYTES) errors.push(tooLongValue('parameters', MAX_PARAMETER_BYTES));
}

function checkTopologies(terms: readonly CoreV1TopologySelectorTerm[], errors: Errors): void {
  const seen = new Set<string>();
  terms.forEach((term, index) => {
    const fieldPath = `allowedTopologies[${index}].matchLabelExpressions`;
    const valuesByKey = checkTerm(term.matchLabelExpressions ?? [], fieldPath, errors);
    const termId = stringifyJson(valuesByKey, 'sorted');
    // Upstream always reports a term without expressions as a duplicate.
    if (isEmptyObject(valuesByKey) || seen.has(termId)) errors.push(duplicateValue(fieldPath, ''));
    seen.add(termId);
  });
}

/** Checks the expressions of a term. Returns their values, sorted, by key. */
function checkTerm(expressions: readonly CoreV1TopologySelectorLabelRequirement[], fieldPath: string, errors: Errors): JsonObject {
  const valuesByKey: JsonObject = {};
  expressions.forEach((expression, index) => {
    const field = `${fieldPath}[${index}]`;
    const key = expression.key ?? '';
    const values = expression.values ?? [];
    if (values.length === 0) errors.push(requiredValue(`${field}.values`));
    checkDistinct(values, `${field}.values`, errors);
    checkFormat(key, `${field}.key`, checkQualifiedName, errors);
    if (ownMember(valuesByKey, key) !== undefined) errors.push(duplicateValue(`${field}.key`, key));
    setMember(valuesByKey, key, [...values].sort());
  });
  return valuesByKey;
}

const IMMUTABLE_MEMBERS = ['parameters', 'provisioner', 'reclaimPolicy'] as const;

function validateUpdate(object: StorageV1StorageClass, old: StorageV1StorageClass): readonly FieldError[] {
  const errors: Errors = [];
  for (const member of IMMUTABLE_MEMBERS) {
    if (!equalJson(object[member] ?? {}, old[member] ?? {})) errors.push(forbiddenField(member, `updates to ${member} are forbidden.`));
  }
  const mode = object.volumeBindingMode ?? '';
  if (mode !== (old.volumeBindingMode ?? '')) errors.push(invalidValue('volumeBindingMode', mode, 'field is immutable'));
  return errors;
}
