import type {
  CoreV1PersistentVolumeClaimSpec,
  CoreV1PersistentVolumeSpec,
  MetaV1ObjectMeta,
} from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Claim } from '../../shared/client/rest/typed-objects';
import type { Volume } from './storage-objects';
import { VolumeIndex } from './volume-index';

const RWO = ['ReadWriteOnce'];
const RWO_ROX = ['ReadWriteOnce', 'ReadOnlyMany'];

const volume = (
  name: string,
  storage: string,
  spec: CoreV1PersistentVolumeSpec = {},
  { metadata = {}, phase = 'Available' }: { readonly metadata?: MetaV1ObjectMeta; readonly phase?: string } = {},
): Volume => apiObject({ metadata: { name, ...metadata }, spec: { capacity: { storage }, accessModes: RWO, ...spec }, status: { phase } });
const claim = (storage: string, spec: CoreV1PersistentVolumeClaimSpec = {}): Claim =>
  apiObject({
    metadata: { namespace: 'n', name: 'c', uid: 'u' },
    spec: { resources: { requests: { storage } }, accessModes: RWO, ...spec },
  });
const reserved = (name: string, storage: string, spec: CoreV1PersistentVolumeSpec = {}): Volume =>
  volume(name, storage, { claimRef: { namespace: 'n', name: 'c' }, ...spec });

function indexOf(...volumes: Volume[]): VolumeIndex {
  const index = new VolumeIndex();
  for (const added of volumes) index.add(added);
  return index;
}

const nameFor = (index: VolumeIndex, request: Claim, { reservedOnly } = { reservedOnly: false }): string | undefined =>
  index.find(request, { reservedOnly })?.name;

describe('VolumeIndex', () => {
  test('finds the smallest volume that is large enough, compared by value, then by name', () => {
    const index = indexOf(volume('d', '10Gi'), volume('c', '2048Mi'), volume('b', '2Gi'), volume('a', '1Gi'));
    expect(nameFor(index, claim('1Gi'))).toBe('a');
    // Both b and c have 2,048 MiB.
    expect(nameFor(index, claim('1025Mi'))).toBe('b');
    expect(nameFor(index, claim('3G'))).toBe('d');
    expect(nameFor(index, claim('11Gi'))).toBeUndefined();
  });

  test('prefers fewer access modes to a smaller size', () => {
    const index = indexOf(volume('small', '1Gi', { accessModes: RWO_ROX }), volume('large', '9Gi'));
    expect(nameFor(index, claim('1Gi'))).toBe('large');
    expect(nameFor(index, claim('1Gi', { accessModes: RWO_ROX }))).toBe('small');
    expect(nameFor(index, claim('2Gi', { accessModes: RWO_ROX }))).toBeUndefined();
  });

  test('finds the smallest volume among different access modes of the same number', () => {
    const index = indexOf(
      volume('a', '3Gi', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }),
      volume('b', '2Gi', { accessModes: RWO_ROX }),
      volume('c', '4Gi', { accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'] }),
    );
    expect(nameFor(index, claim('1Gi'))).toBe('b');
  });

  test.each([
    ['of another class', volume('v', '1Gi', { storageClassName: 'fast' })],
    ['of another volumeMode', volume('v', '1Gi', { volumeMode: 'Block' })],
    ['that is not Available', volume('v', '1Gi', {}, { phase: 'Released' })],
    ['that is being deleted', volume('v', '1Gi', {}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })],
    ['that is reserved for another claim', volume('v', '1Gi', { claimRef: { namespace: 'n', name: 'other' } })],
    ['that is bound to an earlier claim of the name', volume('v', '1Gi', { claimRef: { namespace: 'n', name: 'c', uid: 'earlier' } })],
    ['that is reserved, but too small', reserved('v', '1Mi')],
    ['that is reserved, but of another volumeMode', reserved('v', '1Gi', { volumeMode: 'Block' })],
    ['that is reserved, but lacks an access mode', reserved('v', '1Gi', { accessModes: ['ReadOnlyMany'] })],
  ])('does not find a volume %s', (_, candidate) => {
    expect(nameFor(indexOf(candidate), claim('1Gi'))).toBeUndefined();
  });

  test('reads the class from the beta annotation in both spellings', () => {
    for (const prefix of ['kubernetes.io', 'platform.io']) {
      const annotated = volume('v', '1Gi', {}, { metadata: { annotations: { [`volume.beta.${prefix}/storage-class`]: 'fast' } } });
      expect(nameFor(indexOf(annotated), claim('1Gi', { storageClassName: 'fast' }))).toBe('v');
    }
  });

  test('finds a volume that is reserved for the claim whatever its class and labels, and before a smaller Available one', () => {
    const index = indexOf(volume('a', '1Gi'), reserved('b', '9Gi', { storageClassName: 'fast' }));
    expect(nameFor(index, claim('1Gi'))).toBe('b');
    expect(nameFor(index, claim('1Gi', { selector: { matchLabels: { tier: 'x' } } }))).toBe('b');
  });

  test('prefers an Available volume to a reserved one with more access modes', () => {
    expect(nameFor(indexOf(volume('a', '1Gi'), reserved('b', '1Gi', { accessModes: RWO_ROX })), claim('1Gi'))).toBe('a');
  });

  test('finds only reserved volumes for a claim that waits for its first consumer', () => {
    expect(nameFor(indexOf(volume('a', '1Gi')), claim('1Gi'), { reservedOnly: true })).toBeUndefined();
    expect(nameFor(indexOf(volume('a', '1Gi'), reserved('b', '1Gi')), claim('1Gi'), { reservedOnly: true })).toBe('b');
  });

  test('matches labels and expressions of the selector', () => {
    const index = indexOf(
      volume('a', '1Gi', {}, { metadata: { labels: { tier: 'a' } } }),
      volume('b', '2Gi', {}, { metadata: { labels: { tier: 'b' } } }),
      volume('c', '3Gi'),
    );
    expect(nameFor(index, claim('1Gi', { selector: { matchLabels: { tier: 'b' } } }))).toBe('b');
    expect(nameFor(index, claim('1Gi', { selector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] } }))).toBe('c');
    expect(nameFor(index, claim('1Gi', { selector: { matchLabels: { tier: 'z' } } }))).toBeUndefined();
  });

  test('does not find removed volumes', () => {
    const a = volume('a', '1Gi');
    const b = reserved('b', '1Gi');
    const index = indexOf(a, b, volume('c', '2Gi'));
    index.remove(b);
    expect(nameFor(index, claim('1Gi'))).toBe('a');
    index.remove(a);
    expect(nameFor(index, claim('1Gi'))).toBe('c');
  });

  test('adds and removes volumes in any order without moving the others', () => {
    // A sorted array would move up to 2,000 volumes with each insertion; the nodes of the tree are short arrays.
    const moves = jest.spyOn(Array.prototype, 'splice');
    // Of three sizes, and not in the order of their names: 7 and 2,000 have no common divisor.
    const volumes = Array.from({ length: 2_000 }, (_, number) => volume(`v${(number * 7) % 2_000}`, `${1 + (number % 3)}Gi`));
    const index = indexOf(...volumes);
    const largest = Math.max(0, ...moves.mock.contexts.map((array) => (Array.isArray(array) ? array.length : 0)));
    moves.mockRestore();
    expect(largest).toBeLessThan(100);
    expect(nameFor(index, claim('2Gi'))).toBe(
      volumes
        .filter(({ body }) => body.spec?.capacity?.['storage'] === '2Gi')
        .map(({ name }) => name)
        .sort()[0],
    );
    for (const added of volumes) index.remove(added);
    expect(nameFor(index, claim('1Gi'))).toBeUndefined();
  });
});
