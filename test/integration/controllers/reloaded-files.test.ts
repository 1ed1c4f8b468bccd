/** The controllers reload their kubeconfig and root certificate when the files change. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { resourceOf } from '../../../shared/client/rest/resource';
import { objectAt, stringAt } from '../../../shared/values/json';
import { adminClient, startAcceleratedControllers } from '../../support/control-plane';
import { freePort } from '../../support/ports';
import { startApiServer, waitUntil } from '../../support/programs';
import { startTcpProxy } from '../../support/servers/tcp-proxy';
import { useClosable, useFolder, useResource } from '../../support/use-resource';

const MAPS = resourceOf('core.v1.ConfigMap');
const NAMESPACES = resourceOf('core.v1.Namespace');
const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const SECRETS = resourceOf('core.v1.Secret');
const ROOT_CERTIFICATE = 'platform-root-ca.crt';

const folder = useFolder('renewed-files');
const files = { kubeconfig: path.join(folder, 'kubeconfig'), root: path.join(folder, 'root.crt') };
const port = useResource(freePort);
const server = useResource(
  () => startApiServer({ folder, securePort: port() }),
  (started) => started.process.stop(),
  60_000,
);
const client = useClosable(() => adminClient([server().address], server().certificates));
const proxy = useClosable(() => startTcpProxy(port()));
const controllers = useResource(
  () => {
    const kubeconfig = readFileSync(server().controllersKubeconfig, 'utf8');
    writeFileSync(files.kubeconfig, kubeconfig.replace(`:${port()}`, `:${proxy().port}`));
    writeFileSync(files.root, 'the first certificate');
    const controllersFlag = '--controllers=root-ca-cert-publisher,serviceaccount,serviceaccount-token';
    return startAcceleratedControllers(server(), `--kubeconfig=${files.kubeconfig}`, `--root-ca-file=${files.root}`, controllersFlag);
  },
  (started) => started.stop(),
  60_000,
);

async function publishedRootCertificate(namespace: string): Promise<string | undefined> {
  const configMap = (await client().of(MAPS).namespace(namespace).list()).items.find(({ name }) => name === ROOT_CERTIFICATE);
  return configMap === undefined ? undefined : stringAt(objectAt(configMap.body, 'data'), 'ca.crt');
}

async function tokenSecretCertificate(): Promise<string> {
  const { body } = await client().of(SECRETS).namespace('default').get('kept');
  return Buffer.from(stringAt(objectAt(body, 'data'), 'ca.crt') ?? '', 'base64').toString();
}

test('the controllers publish a changed root certificate to every namespace and token Secret', async () => {
  const name = 'kept';
  await waitUntil('the first certificate', async () => (await publishedRootCertificate('default')) === 'the first certificate');
  await client().of(ACCOUNTS).namespace('default').create({ metadata: { name } });
  const annotations = { 'platform.io/service-account.name': name };
  await client().of(SECRETS).namespace('default').create({ metadata: { name, annotations }, type: 'platform.io/service-account-token' });
  await waitUntil('the first certificate in the token Secret', async () => (await tokenSecretCertificate()) === 'the first certificate');
  writeFileSync(files.root, 'the second certificate');
  await waitUntil('the second certificate', async () => (await publishedRootCertificate('default')) === 'the second certificate');
  await waitUntil(
    'the second certificate in another namespace',
    async () => (await publishedRootCertificate('platform-system')) === 'the second certificate',
  );
  await waitUntil('the second certificate in the token Secret', async () => (await tokenSecretCertificate()) === 'the second certificate');
}, 60_000);

test('the controllers use a changed kubeconfig and its server address', async () => {
  writeFileSync(files.kubeconfig, readFileSync(server().controllersKubeconfig));
  await waitUntil('the controllers to reload it', () => controllers().output.includes(`reloaded kubeconfig ${files.kubeconfig}`));
  proxy().refuse();
  proxy().cut();
  await client()
    .of(NAMESPACES)
    .create({ metadata: { name: 'later' } });
  expect(await waitUntil('the certificate in the new namespace', () => publishedRootCertificate('later'))).toBe('the second certificate');
}, 60_000);
