/**
 * A process for the leader election tests: leads under a Lease, and for each IPC message of its parent writes a
 * ConfigMap with the fence of its first term, like a program that was paused between a read and the write. Reports the
 * outcome over IPC. Arguments: a kubeconfig and an identity.
 */
import { ApiError } from '../../../shared/client/rest/api-error';
import { readKubeconfig } from '../../../shared/client/kubeconfig/kubeconfig';
import { LeaderElection } from '../../../shared/client/leader-election/leader-election';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { Fence } from '../../../shared/api/identity/fencing';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { connectClient } from '../../support/connect-client';

/** What the process reports to its parent. */
export type FencedWriterMessage =
  | { readonly type: 'leading' | 'lost' }
  | {
      readonly type: 'wrote';
      readonly name: string;
      /** 201 or the code of the rejection; 0 when there was no response. */
      readonly code: number;
      /** Of the rejection; '' when the write succeeded. */
      readonly message: string;
    };

const report = (message: FencedWriterMessage): void => void process.send?.(message);

const [kubeconfig = '', identity = ''] = process.argv.slice(2);
const client = connectClient(readKubeconfig(kubeconfig), { userAgent: identity });
/** Not cleared when the term ends, so that later writes use the fence of the former term. */
let firstFence: Fence | undefined;

const election = new LeaderElection({
  client,
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
  lease: { namespace: 'platform-system', name: 'fenced-writer' },
  identity,
  durationMs: 3_000,
  renewDeadlineMs: 2_000,
  retryMs: 500,
});
void election.run(new AbortController().signal, async ({ fence, signal }) => {
  firstFence ??= fence;
  report({ type: 'leading' });
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  report({ type: 'lost' });
});

process.on('message', (name) => void writeFenced(String(name)));
process.on('disconnect', () => process.exit(0));

/** Creates a ConfigMap; without a fence before the process has led. */
async function writeFenced(name: string): Promise<void> {
  const writer = firstFence === undefined ? client : client.withFence(firstFence);
  try {
    await writer.of(resourceOf('core.v1.ConfigMap')).namespace('default').create({ metadata: { name } });
    report({ type: 'wrote', name, code: 201, message: '' });
  } catch (error) {
    report({
      type: 'wrote',
      name,
      code: error instanceof ApiError ? error.code : 0,
      message: error instanceof Error ? error.message : '',
    });
  }
}
