import { admissionRequest } from '../../test/support/objects/admission-request';
import { buildResources } from '../registry/resources';
import { createAdmissionChain, type AdmissionMetrics, type MutatingPlugin } from './chain';

const request = admissionRequest({ resource: buildResources().require('configmaps') });

const plugin = (name: string, calls: string[], wait?: Promise<void>): MutatingPlugin => ({
  name,
  handles: (operation) => operation === 'CREATE',
  mutate() {
    calls.push(name);
    return wait;
  },
});

it('admission chain runs synchronous plug-ins in order, without a promise', () => {
  const calls: string[] = [];
  const chain = createAdmissionChain({ mutating: [plugin('a', calls), plugin('b', calls)], validating: [] });
  expect(chain.mutate(request)).toBeUndefined();
  expect(chain.validate(request)).toBeUndefined();
  expect(calls).toEqual(['a', 'b']);
});

it('admission chain waits for an asynchronous plug-in before it runs the next', async () => {
  const calls: string[] = [];
  let release: () => void = () => undefined;
  const pending = new Promise<void>((resolve) => (release = resolve));
  const result = createAdmissionChain({ mutating: [plugin('a', calls, pending), plugin('b', calls)], validating: [] }).mutate(request);
  expect(calls).toEqual(['a']);
  release();
  await result;
  expect(calls).toEqual(['a', 'b']);
});

it('admission chain skips plug-ins that do not handle the operation', () => {
  const calls: string[] = [];
  const chain = createAdmissionChain({ mutating: [plugin('a', calls)], validating: [] });
  expect(chain.mutate({ ...request, operation: 'DELETE' })).toBeUndefined();
  expect(calls).toEqual([]);
});

it('admission chain stops at the first rejection', async () => {
  const calls: string[] = [];
  const chain = createAdmissionChain({
    mutating: [plugin('a', calls, Promise.reject(new Error('no'))), plugin('b', calls)],
    validating: [],
  });
  await expect(chain.mutate(request)).rejects.toThrow('no');
  expect(calls).toEqual(['a']);
});

it('admission chain calls handles of each plug-in again for every request', () => {
  const calls: string[] = [];
  let isEnabled = false;
  const chain = createAdmissionChain({ mutating: [{ ...plugin('a', calls), handles: () => isEnabled }], validating: [] });
  chain.mutate(request)?.catch(() => undefined);
  isEnabled = true;
  chain.mutate(request)?.catch(() => undefined);
  expect(calls).toEqual(['a']);
});

it('admission chain records the duration of each plug-in and of the step, also for asynchronous and rejecting plug-ins', async () => {
  let now = 0;
  const recorded: string[] = [];
  const metrics: AdmissionMetrics = {
    clock: { monotonic: () => now },
    durationObserver: (name, step, operation, outcome) => (ms) => recorded.push(`${name ?? 'all'} ${step} ${operation} ${ms} ${outcome}`),
  };
  const pluginTaking = (name: string, ms: number, finish?: () => Promise<void>): MutatingPlugin => ({
    name,
    handles: (operation) => operation === 'CREATE',
    mutate() {
      now += ms;
      return finish?.();
    },
  });
  const finishAfter = (ms: number) => () => Promise.resolve().then(() => void (now += ms));
  const chain = createAdmissionChain({
    mutating: [pluginTaking('a', 1), pluginTaking('b', 2, finishAfter(30)), pluginTaking('c', 4)],
    validating: [],
    metrics,
  });
  await chain.mutate(request);
  expect(recorded.splice(0)).toEqual([
    'a admit CREATE 1 admitted',
    'b admit CREATE 32 admitted',
    'c admit CREATE 4 admitted',
    'all admit CREATE 37 admitted',
  ]);
  const reject = (): never => {
    throw new Error('no');
  };
  const rejectingChain = createAdmissionChain({ mutating: [pluginTaking('a', 1), pluginTaking('d', 5, reject)], validating: [], metrics });
  expect(() => rejectingChain.mutate(request)).toThrow('no');
  const rejectingLater = createAdmissionChain({
    mutating: [pluginTaking('e', 5, () => finishAfter(1)().then(reject)), pluginTaking('f', 1)],
    validating: [],
    metrics,
  });
  await expect(rejectingLater.mutate(request)).rejects.toThrow('no');
  expect(recorded).toEqual([
    'a admit CREATE 1 admitted',
    'd admit CREATE 5 rejected',
    'all admit CREATE 6 rejected',
    'e admit CREATE 6 rejected',
    'all admit CREATE 6 rejected',
  ]);
});
