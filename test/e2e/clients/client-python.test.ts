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
        // The definition of the custom kind, as the typed client reads it.
        schemaMaximum: '9223372036854775000',
        // A custom object through the dynamic client: the plural, whether the kind is namespaced, and its subresources.
        discovered: ['gadgets', true, ['scale', 'status']],
        // The value of `spec.size` that the schema has as default, and after each change.
        defaultedSize: 3,
        listedNames: ['one'],
        sizeAfterMergePatch: 5,
        sizeAfterJsonPatch: 6,
        sizeAfterApply: 7,
        patchedPhase: 'Up',
        readReplicas: 7,
        watchedSizes: [
          ['MODIFIED', 5],
          ['MODIFIED', 6],
          ['MODIFIED', 7],
          // The change of the status.
          ['MODIFIED', 7],
        ],
        invalidPatchStatus: 422,
        // The same object through the generic client.
        genericSpec: { names: ['x'], size: 7 },
        patchedReplicas: 2,
        secondCreationStatus: 409,
        // A ConfigMap that the dynamic client creates and the typed client patches.
        patchedData: { a: '1', b: '2' },
        selectedCount: 1,
        readAfterDeletionStatus: 404,
      });
    }, 180_000);
  });
}
