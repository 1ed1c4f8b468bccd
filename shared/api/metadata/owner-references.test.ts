import { dedupOwnerReferences } from './owner-references';

const owner = (name: string, uid: string): { [member: string]: string } => ({ apiVersion: 'v1', kind: 'A', name, uid });

it('dedupOwnerReferences removes equal owner references, keeps different ones with the same UID, and names each duplicate UID once', () => {
  const metadata = {
    ownerReferences: [owner('x', 'b'), owner('y', 'b'), owner('x', 'b'), owner('x', 'c'), owner('x', 'c'), owner('x', 'b')],
  };
  expect(dedupOwnerReferences(metadata)).toMatch(/duplicate UID\(s\) observed: b, c$/);
  expect(metadata.ownerReferences).toEqual([owner('x', 'b'), owner('y', 'b'), owner('x', 'c')]);
});

it('dedupOwnerReferences leaves owner references without duplicates unchanged and returns undefined', () => {
  const metadata = { ownerReferences: [owner('x', 'b'), owner('y', 'b')] };
  expect(dedupOwnerReferences(metadata)).toBeUndefined();
  expect(metadata.ownerReferences).toHaveLength(2);
  expect(dedupOwnerReferences({})).toBeUndefined();
});
