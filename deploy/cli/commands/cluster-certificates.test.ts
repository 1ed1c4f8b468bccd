import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from '../../../shared/cli/command-table';
import { coversNames } from '../../../shared/pki/certificates';
import { createTestHost } from '../../../test/support/command-host';
import { useFolder } from '../../../test/support/use-resource';
import { PROGRAM } from '../program';

const folder = useFolder('cluster-certificates');

function setUp() {
  const directory = mkdtempSync(path.join(folder, 'work-'));
  const run = async (...words: string[]) => {
    const host = createTestHost({ directory });
    const outcome = await runCommand(PROGRAM, ['certificates', ...words], host);
    return { outcome, output: host.printed.output };
  };
  return { directory, run };
}

describe('platform certificates create', () => {
  it('writes a folder for each component, and nothing the second time', async () => {
    const { directory, run } = setUp();
    const flags = ['--etcd-names=etcd1.example.com,etcd2.example.com', '--external-address=https://api.example.com:6443'];
    const first = await run('create', ...flags);
    expect(first.outcome).toEqual({ kind: 'exit', code: 0 });
    expect(first.output).toContain('created the certificate authority of etcd, the certificate of etcd,');
    const text = (file: string): string => readFileSync(path.join(directory, 'pki', file), 'utf8');
    expect(coversNames(text('etcd/etcd.crt'), ['etcd1.example.com', 'etcd2.example.com', '127.0.0.1'])).toBe(true);
    expect(coversNames(text('apiserver/apiserver.crt'), ['api.example.com', '10.0.0.1'])).toBe(true);
    expect(text('controllers/kubeconfig')).toContain('server: https://api.example.com:6443');
    expect((await run('create', ...flags)).output).toBe('all certificates are valid\n');
  });

  it('writes no keys of etcd without --etcd-names', async () => {
    const { directory, run } = setUp();
    await run('create', '--output-dir=keys');
    expect(existsSync(path.join(directory, 'keys/apiserver/apiserver.key'))).toBe(true);
    expect(existsSync(path.join(directory, 'keys/etcd/etcd.key'))).toBe(false);
  });

  it.each([['--external-address=http://x'], ['--external-address=x'], ['--internal-address=ftp://x']])('rejects %s', async (flag) => {
    const { run } = setUp();
    await expect(run('create', flag)).rejects.toThrow('must be an https URL');
  });
});

describe('platform certificates create-secrets', () => {
  it('rejects a missing namespace, and a call outside a cluster', async () => {
    const { run } = setUp();
    await expect(run('create-secrets')).rejects.toThrow('--namespace is required');
    await expect(run('create-secrets', '--namespace=cp')).rejects.toThrow('not inside a cluster');
  });
});
