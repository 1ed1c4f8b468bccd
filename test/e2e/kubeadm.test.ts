/**
 * A real kubeadm 1.31 against `platform start`: it verifies the cluster and reads its configuration with a token of
 * `platform token create`, and manages the same tokens. The phase `preflight` of a join changes nothing on this machine.
 */
import path from 'node:path';
import { findProgram } from '../support/external/find-program';
import { runClient, type ClientResult } from '../support/external/kubectl';
import { freePort } from '../support/ports';
import { startPlatform } from '../support/programs';
import { repository } from '../support/repository';
import { reportSkipped } from '../support/report-skipped';
import { useFolder, useResource } from '../support/use-resource';

const program = findProgram('kubeadm', 'KUBEADM_BIN');

describe('kubeadm against platform start', () => {
  if (program === undefined) {
    reportSkipped('kubeadm reads the cluster and manages tokens', 'kubeadm is neither on PATH nor in KUBEADM_BIN');
    return;
  }

  const folder = useFolder('kubeadm');
  const kubeconfig = path.join(folder, 'admin.kubeconfig');
  const port = useResource(freePort);
  useResource(
    () => startPlatform([`--data-dir=${folder}`, `--secure-port=${port()}`, '--naming=kubernetes']),
    (platform) => platform.stop(),
    120_000,
  );

  const kubeadm = (...args: string[]): Promise<ClientResult> => runClient(program, kubeconfig, args);

  async function runPlatform(...args: string[]): Promise<string> {
    const main = path.join(repository, 'dist/deploy/cli/main.js');
    const { code, stdout, stderr } = await runClient(process.execPath, kubeconfig, [main, ...args, `--data-dir=${folder}`]);
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  }

  /** Runs the checks of a join, without those of this machine. `command` is that of `--print-join-command`. */
  function preflight(command: string): Promise<ClientResult> {
    const args = command.replace(/^kubeadm join /, '').split(' ');
    return kubeadm('join', 'phase', 'preflight', ...args, '--node-name=joining', '--ignore-preflight-errors=all', '-v=2');
  }

  test('the printed command verifies the cluster and reads its configuration', async () => {
    const { code, stdout, stderr } = await preflight(await runPlatform('token', 'create', '--print-join-command'));
    expect(stderr).toContain('Cluster info signature and contents are valid and TLS certificate validates against pinned roots');
    expect(stdout).toContain('[preflight] Reading configuration from the cluster...');
    expect(stderr).toContain('attempting to download the KubeletConfiguration from ConfigMap "kubelet-config"');
    expect(code).toBe(0);
  });

  test('the configuration of kube-proxy is read once the add-on is installed', async () => {
    const missing = 'No kubeproxy.config.k8s.io/v1alpha1 config is loaded';
    const command = await runPlatform('token', 'create', '--print-join-command');
    expect((await preflight(command)).stderr).toContain(missing);
    await runPlatform('addons', 'apply', 'kube-proxy', '--cluster-cidr=10.244.0.0/16');
    const { code, stderr } = await preflight(command);
    expect(stderr).not.toContain(missing);
    expect(code).toBe(0);
  });

  test('a cluster with another authority is refused', async () => {
    const command = await runPlatform('token', 'create', '--print-join-command');
    const { code, stderr } = await preflight(command.replace(/sha256:[0-9a-f]{64}/, `sha256:${'0'.repeat(64)}`));
    expect(stderr).toContain('cluster CA found in cluster-info ConfigMap is invalid: none of the public keys');
    expect(code).not.toBe(0);
  });

  test('kubeadm and platform create, list and delete the same tokens', async () => {
    const ours = await runPlatform('token', 'create', '--ttl=0', '--description=ours');
    const { stdout } = await kubeadm('token', 'create', '--description=theirs');
    const theirs = stdout.trim();
    const listed = (await kubeadm('token', 'list')).stdout;
    expect(listed).toMatch(
      new RegExp(`^${ours} +<forever> +<never> +authentication,signing +ours +system:bootstrappers:kubeadm:default-node-token`, 'm'),
    );
    expect(await runPlatform('token', 'list')).toMatch(
      new RegExp(`^${theirs} +23h59m +\\S+ +authentication,signing +theirs +system:bootstrappers:kubeadm:default-node-token$`, 'm'),
    );
    expect((await kubeadm('token', 'delete', ours)).code).toBe(0);
    await runPlatform('token', 'delete', theirs);
    const remaining = await runPlatform('token', 'list');
    expect(remaining).not.toContain(ours);
    expect(remaining).not.toContain(theirs);
  });

  test('kubeadm prints the same command to join a machine', async () => {
    const ours = await runPlatform('token', 'create', '--print-join-command');
    const { stdout } = await kubeadm('token', 'create', '--print-join-command');
    const withoutToken = (command: string): string => command.trim().replace(/--token \S+/, '--token T');
    expect(withoutToken(stdout)).toBe(withoutToken(ours));
  });
});
