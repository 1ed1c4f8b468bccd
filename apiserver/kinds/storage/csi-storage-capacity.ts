/**
 * CSIStorageCapacity strategy: topology and storage class are immutable, the capacity is not negative. CSI drivers
 * publish the objects, and the scheduler reads them.
 */
import { invalidShownValue, invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { formatGoLabelSelector } from '../../../shared/values/go-values';
import { equalJson } from '../../../shared/values/json';
import { checkDnsSubdomain } from '../../../shared/values/name-formats';
import { compareQuantities } from '../../../shared/values/quantity';
import { findDeprecatedNodeLabels, warnOfNodeSelectorTerm } from '../core/node/deprecated-node-labels';
import { checkFormat, type Errors } from '../rules/checks';
import { checkSelector } from '../rules/selectors';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type { StorageV1CSIStorageCapacity } from '../../../shared/api/types/generated/members';

const IMMUTABLE = 'field is immutable';

export const csiStorageCapacity: Strategy<StorageV1CSIStorageCapacity> = {
  validate(object) {
    const errors: Errors = [];
    checkSelector(object.nodeTopology ?? undefined, 'nodeTopology', errors);
    checkFormat(object.storageClassName ?? '', 'storageClassName', checkDnsSubdomain, errors);
    const amount = object.capacity ?? '0';
    if (compareQuantities(amount, '0') < 0) errors.push(invalidValue('capacity', amount, 'must be greater than or equal to 0'));
    return errors;
  },
  update: { stages: UPDATE.objectThenChange, validate: validateUpdate },
  warningsOnCreate: topologyWarnings,
  warningsOnUpdate: topologyWarnings,
};

function topologyWarnings({ nodeTopology }: StorageV1CSIStorageCapacity): readonly string[] {
  const warnings: string[] = [];
  warnOfNodeSelectorTerm(nodeTopology ?? undefined, 'nodeTopology', warnings);
  for (const { key, advice } of findDeprecatedNodeLabels(Object.keys(nodeTopology?.matchLabels ?? {}))) {
    warnings.push(`nodeTopology.matchLabels.${key}: ${advice}`);
  }
  return warnings;
}

function validateUpdate(object: StorageV1CSIStorageCapacity, old: StorageV1CSIStorageCapacity): readonly FieldError[] {
  const errors: Errors = [];
  const topology = object.nodeTopology ?? null;
  const before = old.nodeTopology ?? null;
  if (!equalJson(topology, before)) {
    const shown = topology === null ? '"null"' : formatGoLabelSelector(topology);
    errors.push(invalidShownValue('nodeTopology', shown, IMMUTABLE));
  }
  const name = object.storageClassName ?? '';
  if (name !== (old.storageClassName ?? '')) errors.push(invalidValue('storageClassName', name, IMMUTABLE));
  return errors;
}
