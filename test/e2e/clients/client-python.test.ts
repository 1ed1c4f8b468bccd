/**
 * The public Python client against the built API server: client-python.py uses the client and prints its results. The
 * client implements discovery, watches and conversions independently of kubectl. The test runs python3 (or PYTHON_BIN)
 * when it has the package `kubernetes`, installs nothing, and is skipped otherwise.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { runClient } from '../../support/external/kubectl';
import { repository } from '../../support/repository';
import { reportSkipped } from '../../support/report-skipped';
import { useSharedApiServer } from '../../support/use-api-server';

const python = process.env['PYTHON_BIN'] ?? 'python3';
const hasClient = spawnSync(python, ['-c', 'import kubernetes.dynamic']).status === 0;
const PROGRAM = path.join(repository, 'test/e2e/clients/client-python.py');

if (!hasClient) {
  reportSkipped('the Python client', `${python} does not have the package kubernetes`);
} else {
  describe('the Python client', () => {
    const server = useSharedApiServer();

    it('finds, creates, reads, lists, changes, watches and deletes built-in and custom objects', async () => {
      const { code, stdout, stderr } = await runClient(python, server.kubeconfig, [PROGRAM, server.kubeconfig], { timeoutMs: 120_000 });
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toEqual({
        maximum: '9223372036854775000',
        found: ['gadgets', true, ['scale', 'status']],
        created: 3,
        listed: ['one'],
        merged: 5,
        operated: 6,
        applied: 7,
        status: 'Up',
        scale: 7,
        watched: [
          ['MODIFIED', 5],
          ['MODIFIED', 6],
          ['MODIFIED', 7],
          ['MODIFIED', 7],
        ],
        refused: 422,
        generic: { names: ['x'], size: 7 },
        scaled: 2,
        taken: 409,
        map: { a: '1', b: '2' },
        collection: 1,
        gone: 404,
      });
    }, 180_000);
  });
}
