import { MissingKeys, requirementOf } from './missing-keys';

describe('requirementOf', () => {
  it.each([
    ['k8s:enc:aescbc:v1:key1:\u0000\u0001', { provider: 'aescbc', key: 'key1' }],
    ['platform:enc:secretbox:v1:a:x', { provider: 'secretbox', key: 'a' }],
    ['k8s:enc:kms:v2:my-kms:\n\u0012', { provider: 'kms', key: 'my-kms' }],
    ['k8s:enc:other', { provider: 'unknown', key: '' }],
    ['PV...', { provider: 'identity', key: '' }],
  ])('%j needs %j', (value, expected) => {
    expect(requirementOf(Buffer.from(value))).toEqual(expected);
  });
});

describe('MissingKeys', () => {
  it('counts objects by resource and key, and names all in one sentence', () => {
    const missing = new MissingKeys();
    expect(missing.error).toBeUndefined();
    missing.add('configmaps', { provider: 'identity', key: '' });
    for (let count = 0; count < 3; count++) missing.add('secrets', { provider: 'aescbc', key: 'key1' });
    missing.add('secrets', { provider: 'kms', key: 'my-kms' });
    expect(missing.counts).toContainEqual({ resource: 'secrets', provider: 'aescbc', key: 'key1', objects: 3 });
    expect(missing.error).toBe(
      'stored objects need keys that the configuration does not have: configmaps: 1 object needs provider identity, ' +
        'secrets: 3 objects need key "key1" of provider aescbc, secrets: 1 object needs KMS provider "my-kms"; ' +
        'add them until these objects are written with another key',
    );
  });

  it('names at most twenty', () => {
    const missing = new MissingKeys();
    for (let index = 0; index < 25; index++) missing.add(`r${index}`, { provider: 'aesgcm', key: 'a' });
    expect(missing.error).toContain('r19: 1 object needs key "a" of provider aesgcm, 5 more; add them');
  });
});
