/**
 * Records as whom the reference server asks webhooks, for what kubeconfigs say:
 *   node deploy/scripts/run.mjs test/replay/webhook-credentials.js files FOLDER
 *   (start the reference with --enable-aggregator-routing and an --admission-control-config-file that gives the plug-in ValidatingAdmissionWebhook a configuration with
 *   kubeConfigFile: FOLDER/SET.kubeconfig; once for each set)
 *   REFERENCE_URL=… ADDRESS=… node deploy/scripts/run.mjs test/replay/webhook-credentials.js SET
 * ADDRESS is one of this machine's that is not of its loopback. webhook-credentials.test.ts replays the recordings.
 */
import { systemClock } from '../../shared/runtime/clock';
import { writeRecording } from './recording';
import { call, hangUp, type Body, type Reply } from './reference';
import { credentialSets, nameOf, type Target } from './webhook-credentials/cases';
import { startCredentialServer, writeCredentialFiles, type CredentialServer } from './webhook-credentials/stage';

const JSON_TYPE = 'application/json';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const NAME = 'credentials';
const MAPS = '/api/v1/namespaces/default/configmaps?dryRun=All';
const MAP: Body = { metadata: { name: 'm' } };
const ROUNDS = 200;
const PAUSE_MS = 25;

const RULE: Body = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

const ADDRESS = process.env['ADDRESS'] ?? '';
const PORT = Number(process.env['WEBHOOK_PORT'] ?? 18_999);
const SETS = credentialSets(PORT);

async function openService(namespace: string, name: string): Promise<void> {
  await call('POST', '/api/v1/namespaces', JSON_TYPE, { metadata: { name: namespace } });
  const ports = [443, 8443].map((port): Body => ({ name: `p${port}`, port, targetPort: PORT }));
  await call('POST', `/api/v1/namespaces/${namespace}/services`, JSON_TYPE, { metadata: { name }, spec: { ports } });
  const subset: Body = { addresses: [{ ip: ADDRESS }], ports: [443, 8443].map((port): Body => ({ name: `p${port}`, port: PORT })) };
  await call('POST', `/api/v1/namespaces/${namespace}/endpoints`, JSON_TYPE, { metadata: { name }, subsets: [subset] });
}

function clientConfig(target: Target, caBundle: string): Body {
  if ('url' in target) return { url: target.url, caBundle };
  const { service: name, namespace, port } = target;
  return { service: { name, namespace, port }, caBundle };
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    if (await isDone()) return;
    await systemClock.sleep(PAUSE_MS);
  }
  throw new Error('nothing came of it');
}

const ask = (): Promise<Reply> => call('POST', MAPS, JSON_TYPE, MAP);

function messageOf({ body: { message } }: Reply): string {
  return typeof message === 'string' ? message : '';
}

async function one(server: CredentialServer, target: Target): Promise<Body> {
  const webhook: Body = {
    name: 'asked.example.com',
    clientConfig: clientConfig(target, server.caBundle),
    rules: [RULE],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 5,
  };
  const made = await call('POST', CONFIGURATIONS, JSON_TYPE, { metadata: { name: NAME }, webhooks: [webhook] });
  if (made.code !== 201) throw new Error(JSON.stringify(made.body));
  server.seen.splice(0);
  let reply: Reply | undefined;
  // A Service that has just been made is not known at once.
  await until(async () => {
    reply = await ask();
    return server.seen.length > 0 || (reply.code !== 201 && !/not found|no endpoints/.test(messageOf(reply)));
  });
  const [seen] = server.seen.splice(0);
  await call('DELETE', `${CONFIGURATIONS}/${NAME}`, JSON_TYPE);
  await until(async () => {
    server.seen.splice(0);
    const { code } = await ask();
    return code === 201 && server.seen.length === 0;
  });
  const message =
    reply?.code === 201 ? '' : (reply === undefined ? '' : messageOf(reply)).replaceAll(/(?<= )\/\S+\/(?=none)/g, '<folder>/');
  const named: Body = { target: nameOf(target), ...(seen === undefined ? {} : { seen }), ...(message === '' ? {} : { message }) };
  return JSON.parse(JSON.stringify(named).replaceAll(`:${PORT}`, ':<port>'));
}

async function record(name: string): Promise<void> {
  const set = SETS[name];
  if (set === undefined) throw new Error(`no set ${name}; there are ${Object.keys(SETS).join(', ')}`);
  const server = await startCredentialServer('0.0.0.0', PORT);
  await call('DELETE', `${CONFIGURATIONS}/${NAME}`, JSON_TYPE);
  const lines: Body[] = [];
  for (const target of set.targets) {
    if (!('url' in target)) await openService(target.namespace, target.service);
    lines.push(await one(server, target));
  }
  await server.close();
  writeRecording(`webhook-credentials/${name}`, lines);
}

const [what = '', folder = ''] = process.argv.slice(2);
void (what === 'files' ? writeCredentialFiles(folder, PORT) : record(what)).finally(hangUp);
