/** Leader election between two copies of the controllers: when the standby takes over, and how a late write of the former leader is rejected. */
import { isNotFound } from '../../../shared/client/rest/api-error';
import { objectAt, stringAt } from '../../../shared/values/json';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { adminClient, startControllers } from '../../support/control-plane';
import { freePort } from '../../support/ports';
import {
  removeFolder,
  startApiServer,
  startProgram,
  temporaryFolder,
  waitUntil,
  type ApiServer,
  type ProgramProcess,
} from '../../support/programs';

const NAMESPACES = resourceOf('core.v1.Namespace');
const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const MAPS = resourceOf('core.v1.ConfigMap');
const LEASES = resourceOf('coordination.v1.Lease');
const folder = temporaryFolder('leadership');
let server: ApiServer;
let client: RestClient;
const running = new Set<ProgramProcess>();

beforeAll(async () => {
  server = await startApiServer({ folder, securePort: await freePort() });
  client = adminClient([server.address], server.certificates);
}, 60_000);

afterEach(async () => {
  for (const process of running) await process.kill();
  running.clear();
});

afterAll(async () => {
  client.close();
  await server.process.stop();
  removeFolder(folder);
}, 60_000);

function keep(process: ProgramProcess): ProgramProcess {
  running.add(process);
  return process;
}

async function holder(name: string): Promise<string> {
  try {
    const lease = await client.get(LEASES, { namespace: 'platform-system', name });
    return stringAt(objectAt(lease.body, 'spec'), 'holderIdentity') ?? '';
  } catch (error) {
    if (isNotFound(error)) return '';
    throw error;
  }
}

/** Milliseconds until a new namespace has its account. */
async function served(namespace: string): Promise<number> {
  const started = performance.now();
  await client.create(NAMESPACES, { metadata: { name: namespace } });
  await waitUntil(
    `the account in ${namespace}`,
    async () =>
      client.get(ACCOUNTS, { namespace, name: 'default' }).then(
        () => true,
        () => false,
      ),
    30_000,
  );
  return performance.now() - started;
}

const LEASE = 'controller-serviceaccount';

/** A process with one controller has its lease alone, others have one more; and how soon they serve where nobody waits for a lease to run out. Milliseconds. */
const CHOICES = [
  ['serviceaccount', 1_500],
  ['*', 6_000],
] as const;

async function twoCopies(choice: string): Promise<readonly [first: ProgramProcess, second: ProgramProcess]> {
  const before = await holder(LEASE);
  const first = keep(startControllers(server, `--controllers=${choice}`));
  await waitUntil('the first copy to lead', async () => first.output.includes('"leading"') && (await holder(LEASE)) !== before, 60_000);
  const second = keep(startControllers(server, `--controllers=${choice}`));
  await waitUntil('the second copy to run', () => second.output.includes('controllers are running'));
  await served(`before-${first.pid}`);
  await waitUntil('the second copy to wait', () => second.output.includes('another copy leads, waiting'));
  expect(second.output).not.toContain('"leading"');
  return [first, second];
}

test.each(CHOICES)(
  'the standby takes over at once after a clean stop of the leader of %s',
  async (choice, soon) => {
    const [first] = await twoCopies(choice);
    expect(await first.stop()).toBe(0);
    expect(await served(`after-stop-of-${first.pid}`)).toBeLessThan(soon);
  },
  120_000,
);

test.each(CHOICES)(
  'the standby takes over within 15 s of SIGKILL of the leader of %s',
  async (choice, soon) => {
    const [first, second] = await twoCopies(choice);
    const before = await holder(LEASE);
    const killed = performance.now();
    await first.kill();
    await waitUntil('the second copy to lead', async () => (await holder(LEASE)) !== before, 30_000);
    const led = performance.now() - killed;
    await served(`after-kill-of-${first.pid}`);
    expect(second.output).toContain('"leading"');
    const works = performance.now() - killed;
    process.stdout.write(`leads ${(led / 1000).toFixed(1)} s after SIGKILL, works after ${(works / 1000).toFixed(1)} s\n`);
    expect(led).toBeLessThan(15_000);
    expect(works).toBeLessThan(13_500 + soon);
  },
  120_000,
);

test('the API server rejects a write of a leader that was paused longer than its lease', async () => {
  const messages: { type: string; name?: string; code?: number; message?: string }[][] = [[], []];
  const start = (index: number): ProgramProcess => {
    const program = keep(startProgram('test/reliability/controllers/late-writer.js', [server.kubeconfig, `copy-${index}`]));
    program.child.on('message', (message) => messages[index]?.push(message as { type: string }));
    return program;
  };
  const outcome = (index: number, name: string) =>
    waitUntil(`the outcome of ${name}`, () => messages[index]?.find((message) => message.name === name), 20_000);
  const leads = (index: number) => messages[index]?.some(({ type }) => type === 'leading') === true;

  const first = start(0);
  await waitUntil('the first copy to lead', () => leads(0));
  const second = start(1);
  first.child.send('in-time');
  expect(await outcome(0, 'in-time')).toMatchObject({ code: 201 });

  first.pause();
  // It waits in the first one's mail until it goes on.
  first.child.send('too-late');
  await waitUntil('the second copy to lead', () => leads(1), 20_000);
  second.child.send('of-the-second');
  expect(await outcome(1, 'of-the-second')).toMatchObject({ code: 201 });
  first.resume();
  expect(await outcome(0, 'too-late')).toMatchObject({ code: 409, message: expect.stringContaining('is over') });
  await expect(client.get(MAPS, { namespace: 'default', name: 'too-late' })).rejects.toMatchObject({ code: 404 });
  await waitUntil('the first copy to notice', () => messages[0]?.some(({ type }) => type === 'lost'));
  expect(await holder('late-writer')).toBe('copy-1');
}, 60_000);

test('two processes with different controllers run beside each other', async () => {
  keep(startControllers(server, '--controllers=serviceaccount'));
  keep(startControllers(server, '--controllers=-*,namespace'));
  await served('split');
  await client.delete(NAMESPACES, { name: 'split' });
  await waitUntil('the namespace to go', () => client.get(NAMESPACES, { name: 'split' }).then(() => false, isNotFound), 30_000);
}, 60_000);

test('the controllers exit with code 0 when the IPC channel to the parent process closes', async () => {
  const program = startControllers(server);
  await waitUntil('the controllers to run', () => program.output.includes('controllers are running'));
  // Node does not report the end of the streams after this, only that of the process.
  const code = new Promise((resolve) => program.child.once('exit', resolve));
  program.child.disconnect();
  expect(await code).toBe(0);
}, 60_000);
