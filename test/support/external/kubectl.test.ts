/** The packaged kubectl and helm as programs, without any server. */
import path from 'node:path';
import { packagedProgram, runClient, startClient } from './kubectl';
import { removeFolder, temporaryFolder } from '../programs';
import { reportSkipped } from '../report-skipped';

const kubectl = packagedProgram('kubectl');
const helm = packagedProgram('helm');

if (kubectl === undefined || helm === undefined) {
  reportSkipped('packaged clients', 'the packaged kubectl and helm do not run on this machine');
} else {
  describe('packaged clients', () => {
    const folder = temporaryFolder('kubectl');
    const kubeconfig = path.join(folder, 'none.kubeconfig');
    afterAll(() => removeFolder(folder));

    it('report the versions 1.31 of kubectl and 3 of helm', async () => {
      const version = await runClient(kubectl, kubeconfig, ['version', '--client', '-o', 'json']);
      expect(version).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(version.stdout)).toMatchObject({ clientVersion: { gitVersion: expect.stringMatching(/^v1\.31\./) } });
      const helmVersion = await runClient(helm, kubeconfig, ['version', '--short']);
      expect(helmVersion.stdout).toMatch(/^v3\./);
    });

    it('read standard input, and return the exit code and the error output of a failure', async () => {
      const result = await runClient(kubectl, kubeconfig, ['create', '--dry-run=client', '--validate=false', '-o', 'name', '-f', '-'], {
        input: 'not: an object\n',
      });
      expect(result.code).not.toBe(0);
      expect(result.stderr).not.toBe('');
    });

    it('run until they are killed', async () => {
      const running = startClient(kubectl, kubeconfig, ['proxy', '--port=0']);
      expect(running.isRunning).toBe(true);
      await running.kill();
      expect((await running.exited).signal).toBe('SIGKILL');
    });
  });
}
