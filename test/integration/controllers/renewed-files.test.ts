/** Files that the controllers were given are replaced while they run. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { objectAt, stringAt } from '../../../shared/values/json';
import { adminClient, startHastyControllers } from '../../support/control-plane';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, waitUntil, type ApiServer, type ProgramProcess } from '../../support/programs';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy';

const MAPS = resourceOf('core.v1.ConfigMap');
const NAMESPACES = resourceOf('core.v1.Namespace');
const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const SECRETS = resourceOf('core.v1.Secret');
const ROOT = 'platform-root-ca.crt';

const folder = temporaryFolder('renewed-files');
const files = { kubeconfig: path.join(folder, 'kubeconfig'), root: path.join(folder, 'root.crt') };
let server: ApiServer;
let proxy: TcpProxy;
let client: RestClient;
let controllers: ProgramProcess;

beforeAll(async () => {
  const port = await freePort();
  server = await startApiServer({ folder, securePort: port });
  client = adminClient([server.address], server.certificates);
  proxy = await startTcpProxy(port);
  const kubeconfig = readFileSync(server.controllersKubeconfig, 'utf8');
  writeFileSync(files.kubeconfig, kubeconfig.replace(`:${port}`, `:${proxy.port}`));
  writeFileSync(files.root, 'the first certificate');
  const used = '--controllers=root-ca-cert-publisher,serviceaccount,serviceaccount-token';
  controllers = startHastyControllers(server, `--kubeconfig=${files.kubeconfig}`, `--root-ca-file=${files.root}`, used);
}, 60_000);

afterAll(async () => {
  await controllers.stop();
  await proxy.close();
  client.close();
  await server.process.stop();
  removeFolder(folder);
}, 60_000);

async function published(namespace: string): Promise<string | undefined> {
  const found = (await client.list(MAPS, { namespace })).items.find(({ name }) => name === ROOT);
  return found === undefined ? undefined : stringAt(objectAt(found.body, 'data'), 'ca.crt');
}

async function besideToken(): Promise<string> {
  const { body } = await client.get(SECRETS, { namespace: 'default', name: 'kept' });
  return Buffer.from(stringAt(objectAt(body, 'data'), 'ca.crt') ?? '', 'base64').toString();
}

test('the controllers publish a changed root certificate to every namespace and token Secret', async () => {
  const place = { namespace: 'default', name: 'kept' };
  await waitUntil('the first certificate', async () => (await published('default')) === 'the first certificate');
  await client.create(ACCOUNTS, { metadata: place });
  const annotations = { 'platform.io/service-account.name': place.name };
  await client.create(SECRETS, { metadata: { ...place, annotations }, type: 'platform.io/service-account-token' });
  await waitUntil('the first one beside the token', async () => (await besideToken()) === 'the first certificate');
  writeFileSync(files.root, 'the second certificate');
  await waitUntil('the second certificate', async () => (await published('default')) === 'the second certificate');
  await waitUntil('one in every namespace', async () => (await published('platform-system')) === 'the second certificate');
  await waitUntil('the second one beside the token', async () => (await besideToken()) === 'the second certificate');
}, 60_000);

test('the controllers use a changed kubeconfig and its server address', async () => {
  writeFileSync(files.kubeconfig, readFileSync(server.controllersKubeconfig));
  await waitUntil('the controllers to have read it', () => controllers.output.includes(`renewed: kubeconfig ${files.kubeconfig}`));
  proxy.refuse(true);
  proxy.cut();
  await client.create(NAMESPACES, { metadata: { name: 'later' } });
  expect(await waitUntil('its certificate', () => published('later'))).toBe('the second certificate');
}, 60_000);
