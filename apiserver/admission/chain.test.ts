import type { AdmissionRequest } from '../registry/admission';
import { buildResources } from '../registry/resources';
import { createAdmission, type MutatingPlugin } from './chain';

const request: AdmissionRequest = {
  operation: 'CREATE',
  isAddressed: false,
  resource: buildResources().require('configmaps'),
  subresource: undefined,
  namespace: 'ns',
  name: 'a',
  user: { name: 'u', groups: [] },
  dryRun: false,
  options: {},
  context: { warn: () => undefined },
  object: {},
  oldObject: undefined,
  deadline: Infinity,
  namespaceEntry: undefined,
};

const plugin = (name: string, seen: string[], wait?: Promise<void>): MutatingPlugin => ({
  name,
  handles: (operation) => operation === 'CREATE',
  mutate() {
    seen.push(name);
    return wait;
  },
});

it('runs in order, and waits only where there is something to wait for', async () => {
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

it('asks nobody who does not handle the operation, and stops at a refusal', async () => {
  const seen: string[] = [];
  const chain = createAdmission({ mutating: [plugin('a', seen, Promise.reject(new Error('no'))), plugin('b', seen)], validating: [] });
  expect(chain.mutate({ ...request, operation: 'DELETE' })).toBeUndefined();
  await expect(chain.mutate(request)).rejects.toThrow('no');
  expect(seen).toEqual(['a']);
});
