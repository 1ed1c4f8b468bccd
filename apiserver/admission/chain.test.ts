/** The order in which plug-ins run, rejections, and the recorded durations. */
import { admissionRequest } from '../../test/support/objects/admission-request';
import { buildResources } from '../registry/resources';
import { createAdmissionChain, type AdmissionMetrics, type MutatingPlugin } from './chain';

const request = admissionRequest({ resource: buildResources().require('configmaps') });

/** A plug-in for creates that appends its name to `calls`, and then waits for `wait`. */
const plugin = (name: string, calls: string[], wait?: Promise<void>): MutatingPlugin => ({
  name,
  handles: (operation) => operation === 'CREATE',
  mutate() {
    calls.push(name);
    return wait;
  },
});

describe('admission chain', () => {
  it('runs synchronous plug-ins in order, without a promise', () => {
    const calls: string[] = [];
    const chain = createAdmissionChain({ mutating: [plugin('a', calls), plugin('b', calls)], validating: [] });
    expect(chain.mutate(request)).toBeUndefined();
    expect(chain.validate(request)).toBeUndefined();
    expect(calls).toEqual(['a', 'b']);
  });

  it('waits for an asynchronous plug-in before it runs the next', async () => {
    const calls: string[] = [];
    let release: () => void = () => undefined;
    const pending = new Promise<void>((resolve) => (release = resolve));
    const result = createAdmissionChain({ mutating: [plugin('a', calls, pending), plugin('b', calls)], validating: [] }).mutate(request);
    expect(calls).toEqual(['a']);
    release();
    await result;
    expect(calls).toEqual(['a', 'b']);
  });

  it('skips plug-ins that do not handle the operation', () => {
    const calls: string[] = [];
    const chain = createAdmissionChain({ mutating: [plugin('a', calls)], validating: [] });
    expect(chain.mutate({ ...request, operation: 'DELETE' })).toBeUndefined();
    expect(calls).toEqual([]);
  });

  it('stops at the first rejection', async () => {
    const calls: string[] = [];
    const chain = createAdmissionChain({
      mutating: [plugin('a', calls, Promise.reject(new Error('no'))), plugin('b', calls)],
      validating: [],
    });
    await expect(chain.mutate(request)).rejects.toThrow('no');
    expect(calls).toEqual(['a']);
  });

  it('calls handles of each plug-in again for every request', () => {
    const calls: string[] = [];
    let isEnabled = false;
    const chain = createAdmissionChain({ mutating: [{ ...plugin('a', calls), handles: () => isEnabled }], validating: [] });
    void chain.mutate(request);
    expect(calls).toEqual([]);
    isEnabled = true;
    void chain.mutate(request);
    expect(calls).toEqual(['a']);
  });
});

describe('admission chain with metrics', () => {
  /** A chain on a manual clock. `recorded` has a line for each observation: plug-in (`all` for the step), step, operation, ms, outcome. */
  function createFixture() {
    let now = 0;
    const recorded: string[] = [];
    const metrics: AdmissionMetrics = {
      clock: { monotonic: () => now },
      durationObserver: (name, step, operation, outcome) => (ms) => recorded.push(`${name ?? 'all'} ${step} ${operation} ${ms} ${outcome}`),
    };
    const chainOf = (...mutating: MutatingPlugin[]) => createAdmissionChain({ mutating, validating: [], metrics });
    /** A plug-in that takes `ms` and then calls `finish`. */
    const pluginTaking = (name: string, ms: number, finish?: () => Promise<void>): MutatingPlugin => ({
      name,
      handles: (operation) => operation === 'CREATE',
      mutate() {
        now += ms;
        return finish?.();
      },
    });
    const finishLater = async (ms: number): Promise<void> => {
      await Promise.resolve();
      now += ms;
    };
    return { recorded, chainOf, pluginTaking, finishLater };
  }
  const reject = (): never => {
    throw new Error('no');
  };

  it('records the duration of each plug-in and of the step, with the time that an asynchronous plug-in waits', async () => {
    const { recorded, chainOf, pluginTaking, finishLater } = createFixture();
    await chainOf(
      pluginTaking('a', 1),
      pluginTaking('b', 2, () => finishLater(30)),
      pluginTaking('c', 4),
    ).mutate(request);
    expect(recorded).toEqual([
      'a admit CREATE 1 admitted',
      'b admit CREATE 32 admitted',
      'c admit CREATE 4 admitted',
      'all admit CREATE 37 admitted',
    ]);
  });

  it('records a plug-in that throws, and the step, as rejected', () => {
    const { recorded, chainOf, pluginTaking } = createFixture();
    const chain = chainOf(pluginTaking('a', 1), pluginTaking('b', 5, reject));
    expect(() => chain.mutate(request)).toThrow('no');
    expect(recorded).toEqual(['a admit CREATE 1 admitted', 'b admit CREATE 5 rejected', 'all admit CREATE 6 rejected']);
  });

  it('records a plug-in whose promise rejects, and the step, as rejected', async () => {
    const { recorded, chainOf, pluginTaking, finishLater } = createFixture();
    const chain = chainOf(
      pluginTaking('a', 5, () => finishLater(1).then(reject)),
      pluginTaking('b', 1),
    );
    await expect(chain.mutate(request)).rejects.toThrow('no');
    expect(recorded).toEqual(['a admit CREATE 6 rejected', 'all admit CREATE 6 rejected']);
  });
});
