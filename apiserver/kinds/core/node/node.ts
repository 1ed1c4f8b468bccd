/**
 * Node strategy: taints, quantities, addresses and pod CIDRs. A few fields of the spec are immutable once they are
 * set. Heartbeats and taints for conditions are left to the kubelet and the controllers.
 */
import { isIP } from 'node:net';
import { duplicateValue, forbiddenField, invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { CoreV1Node, CoreV1NodeSpec, CoreV1NodeStatus } from '../../../../shared/api/types/generated/members';
import { cloneJson, sortedKeys } from '../../../../shared/values/json';
import { checkLabelValue, checkQualifiedName } from '../../../../shared/values/name-formats';
import { checkCidr } from '../../rules/addresses';
import { checkDistinct, checkFormat, checkRequiredEnum, type Errors } from '../../rules/checks';
import { checkResourceQuantity } from '../../rules/resource-names';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';

export const node: Strategy<CoreV1Node> = {
  acceptsStatusOnCreate: true,
  canonicalize({ spec, status }) {
    if (status !== undefined) defaultAllocatable(status);
    if (spec !== undefined) syncPodCidrs(spec);
  },
  validate({ spec = {}, status = {} }) {
    const errors: Errors = [];
    checkTaints(spec, errors);
    checkQuantities(status, errors);
    checkPodCidrs(spec, errors);
    return errors;
  },
  update: {
    stages: UPDATE.objectThenChange,
    validate({ spec = {}, status = {} }, { spec: before = {} }) {
      const errors: Errors = [];
      checkAddresses(status, errors);
      checkImmutableOnceSet(spec, before, errors);
      checkTaints(spec, errors);
      return errors;
    },
  },
  status: {
    validate({ status = {} }): readonly FieldError[] {
      const errors: Errors = [];
      checkAddresses(status, errors);
      checkQuantities(status, errors);
      return errors;
    },
  },
};

/** `allocatable` defaults to `capacity`. */
function defaultAllocatable(status: CoreV1NodeStatus): void {
  if (status.capacity !== undefined) status.allocatable ??= cloneJson(status.capacity);
}

/** Keeps `podCIDR` equal to the first of `podCIDRs`; when both are set and differ, `podCIDR` replaces the list. */
function syncPodCidrs(spec: CoreV1NodeSpec): void {
  const [first = ''] = spec.podCIDRs ?? [];
  const { podCIDR: single = '' } = spec;
  if (single !== '' && single !== first) spec.podCIDRs = [single];
  else if (first !== '') spec.podCIDR = first;
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function checkTaints({ taints }: CoreV1NodeSpec, errors: Errors): void {
  const seen = new Set<string>();
  taints?.forEach((taint, index) => {
    // Upstream reports taints at this path, although they are in the spec.
    const field = `metadata.taints[${index}]`;
    const { key = '', value = '', effect = '' } = taint;
    checkFormat(key, `${field}.key`, checkQualifiedName, errors);
    checkFormat(value, `${field}.value`, checkLabelValue, errors);
    checkRequiredEnum(taint, 'effect', field, EFFECTS, errors);
    if (seen.has(`${key}:${effect}`)) errors.push(duplicateValue(field, taint, 'taints must be unique by key and effect pair'));
    seen.add(`${key}:${effect}`);
  });
}

function checkQuantities(status: CoreV1NodeStatus, errors: Errors): void {
  for (const member of ['capacity', 'allocatable'] as const) {
    const quantities = status[member] ?? {};
    for (const name of sortedKeys(quantities)) checkResourceQuantity(name, quantities[name] ?? '0', `status.${member}.${name}`, errors);
  }
}

function checkPodCidrs({ podCIDRs: ranges = [] }: CoreV1NodeSpec, errors: Errors): void {
  ranges.forEach((range, index) => checkCidr(range, `spec.podCIDRs[${index}]`, errors));
  if (ranges.length < 2) return;
  const families = new Set(ranges.map((range) => isIP(range.split('/')[0] ?? '')));
  if (ranges.length > 2 || families.size < 2) {
    errors.push(invalidValue('spec.podCIDRs', ranges, 'may specify no more than one CIDR for each IP family'));
  }
  checkDistinct(ranges, 'spec.podCIDRs', errors);
}

function checkAddresses({ addresses }: CoreV1NodeStatus, errors: Errors): void {
  const seen = new Set<string>();
  addresses?.forEach((address, index) => {
    const key = `${address.type ?? ''}/${address.address ?? ''}`;
    if (seen.has(key)) errors.push(duplicateValue(`status.addresses[${index}]`, address));
    seen.add(key);
  });
}

/** `podCIDRs` and `providerID` are immutable once set. */
function checkImmutableOnceSet(spec: CoreV1NodeSpec, before: CoreV1NodeSpec, errors: Errors): void {
  const { podCIDRs: ranges = [], providerID: provider = '' } = before;
  if (ranges.length > 0 && ranges.join() !== (spec.podCIDRs ?? []).join()) {
    errors.push(forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  if (provider !== '' && provider !== spec.providerID) {
    errors.push(forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
}
