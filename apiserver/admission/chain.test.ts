import { admissionRequest } from '../../test/support/admission-request';
import { buildResources } from '../registry/resources';
import { createAdmission, type AdmissionMeter, type MutatingPlugin } from './chain';

const request = admissionRequest({ resource: buildResources().require('configmaps') });

const plugin = (name: string, seen: string[], wait?: Promise<void>): MutatingPlugin => ({
  name,
  handles: (operation) => operation === 'CREATE',
  mutate() {
    seen.push(name);
    return wait;
  },
});

it('admission chain runs its plug-ins in order and returns a promise only when a plug-in returns one', async () => {
  const seen: string[] = [];
  let go: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => (go = resolve));
  const quick = createAdmission({ mutating: [plugin('a', seen), plugin('b', seen)], validating: [] });
  expect(quick.mutate(request)).toBeUndefined();
  expect(quick.validate(request)).toBeUndefined();
  expect(seen).toEqual(['a', 'b']);
  const slow = createAdmission({ mutating: [plugin('c', seen, wait), plugin('d', seen)], validating: [] }).mutate(request);
  expect(seen).toEqual(['a', 'b', 'c']);
  go();
  await slow;
  expect(seen).toEqual(['a', 'b', 'c', 'd']);
});

it('admission chain skips plug-ins that do not handle the operation and stops at the first rejection', async () => {
  const seen: string[] = [];
  const chain = createAdmission({ mutating: [plugin('a', seen, Promise.reject(new Error('no'))), plugin('b', seen)], validating: [] });
  expect(chain.mutate({ ...request, operation: 'DELETE' })).toBeUndefined();
  await expect(chain.mutate(request)).rejects.toThrow('no');
  expect(seen).toEqual(['a']);
});

it('admission chain calls handles of each plug-in again for every request', () => {
  const seen: string[] = [];
  let isOn = false;
  const chain = createAdmission({ mutating: [{ ...plugin('a', seen), handles: () => isOn }], validating: [] });
  chain.mutate(request)?.catch(() => undefined);
  isOn = true;
  chain.mutate(request)?.catch(() => undefined);
  expect(seen).toEqual(['a']);
});

it('admission chain records the duration of each plug-in and of the step, also for asynchronous and rejecting plug-ins', async () => {
  let now = 0;
  const told: string[] = [];
  const meter: AdmissionMeter = {
    clock: { monotonic: () => now },
    series: (name, step, operation, hasRefused) => (ms) =>
      told.push(`${name ?? 'all'} ${step} ${operation} ${ms}${hasRefused ? ' refused' : ''}`),
  };
  const taking = (name: string, ms: number, ends?: () => Promise<void>): MutatingPlugin => ({
    name,
    handles: (operation) => operation === 'CREATE',
    mutate() {
      now += ms;
      return ends?.();
    },
  });
  const later = (ms: number) => () => Promise.resolve().then(() => void (now += ms));
  const chain = createAdmission({ mutating: [taking('a', 1), taking('b', 2, later(30)), taking('c', 4)], validating: [], meter });
  await chain.mutate(request);
  expect(told.splice(0)).toEqual(['a admit CREATE 1', 'b admit CREATE 32', 'c admit CREATE 4', 'all admit CREATE 37']);
  const no = (): never => {
    throw new Error('no');
  };
  const refusing = createAdmission({ mutating: [taking('a', 1), taking('d', 5, no)], validating: [], meter });
  expect(() => refusing.mutate(request)).toThrow('no');
  const refusingLate = createAdmission({ mutating: [taking('e', 5, () => later(1)().then(no)), taking('f', 1)], validating: [], meter });
  await expect(refusingLate.mutate(request)).rejects.toThrow('no');
  expect(told).toEqual([
    'a admit CREATE 1',
    'd admit CREATE 5 refused',
    'all admit CREATE 6 refused',
    'e admit CREATE 6 refused',
    'all admit CREATE 6 refused',
  ]);
});
