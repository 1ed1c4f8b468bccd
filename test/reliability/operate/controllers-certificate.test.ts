/** The controllers come with a certificate whose time is over: their log says which file, and they go on with a new one. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { kubeconfig } from '../../../deploy/cluster/kubeconfig';
import { CONTROLLERS_LEAF } from '../../../deploy/cluster/identities';
import { isNotFound } from '../../../shared/client/rest/api-error';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { adminClient, startHastyControllers } from '../../support/control-plane';
import { makePair, type When } from '../../support/credential-files';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, waitUntil, type ApiServer, type ProgramProcess } from '../../support/programs';

const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const folder = temporaryFolder('operate-controllers');
const file = path.join(folder, 'swapped.kubeconfig');
let server: ApiServer;
let client: RestClient;
let controllers: ProgramProcess | undefined;

beforeAll(async () => {
  server = await startApiServer({ folder, securePort: await freePort() });
  client = adminClient([server.address], server.certificates);
}, 60_000);

afterAll(async () => {
  await controllers?.stop();
  client.close();
  await server.process.stop();
  removeFolder(folder);
}, 60_000);

async function save(when: When): Promise<void> {
  const certificate = server.certificates.authority;
  const authority = { certificate, key: readFileSync(path.join(server.pki, 'ca.key'), 'utf8') };
  const { commonName } = CONTROLLERS_LEAF.subject;
  writeFileSync(
    file,
    kubeconfig(server.address, certificate, 'controllers', await makePair(authority, 'client', { when, commonName, names: [] })),
  );
}

test('the controllers log an expired client certificate and load a renewed one', async () => {
  await save('over');
  controllers = startHastyControllers(server, `--kubeconfig=${file}`, '--controllers=serviceaccount');
  const { output } = await waitUntil('the log to say what to do', () =>
    /it is read while they run/.test(controllers?.output ?? '') ? controllers : undefined,
  );
  expect(output).toMatch(/"level":"error".*the client certificate of [^ ]*swapped\.kubeconfig has expired at /);
  await save('now');
  const account = (): Promise<boolean> =>
    client.get(ACCOUNTS, { namespace: 'default', name: 'default' }).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false;
        throw error;
      },
    );
  await waitUntil('them to work', account, 60_000);
}, 120_000);
