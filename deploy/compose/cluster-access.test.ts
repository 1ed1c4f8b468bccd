import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readClusterAccess } from './cluster-access';

describe('readClusterAccess', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'access-'));
  beforeAll(() => {
    for (const file of ['ca.crt', 'admin.crt', 'admin.key']) writeFileSync(path.join(folder, file), file);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('returns the administrator and, without variables, the load balancer and the naming of docker-compose.yml', () => {
    expect(readClusterAccess(folder, {})).toEqual({
      internalAddress: 'https://front:6443',
      authority: 'ca.crt',
      admin: { certificate: 'admin.crt', key: 'admin.key' },
      naming: 'platform',
    });
  });

  it('returns the naming of the variable, and rejects an unknown one', () => {
    expect(readClusterAccess(folder, { PLATFORM_NAMING: 'kubernetes' }).naming).toBe('kubernetes');
    expect(() => readClusterAccess(folder, { PLATFORM_NAMING: 'k8s' })).toThrow(
      'PLATFORM_NAMING=k8s has to be one of platform, kubernetes',
    );
  });
});
