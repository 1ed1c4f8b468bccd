/**
 * The controllers start with an expired client certificate: the log names the file, and they work after it is replaced.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatKubeconfig } from '../../../deploy/cluster/kubeconfig';
import { CONTROLLERS_LEAF } from '../../../deploy/cluster/identities';
import { undefinedIfNotFound } from '../../../shared/client/rest/api-error';
import { resourceOf } from '../../../shared/client/rest/resource';
import { adminClient, startAcceleratedControllers } from '../../support/control-plane';
import { makePair, type CertificateValidity } from '../../support/certificates/credential-files';
import { waitUntil, type ProgramProcess } from '../../support/programs';
import { useApiServer } from '../../support/use-api-server';
import { stopAfterTest, useClosable } from '../../support/use-resource';

const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const api = useApiServer('operate-controllers', () => ({}));
const server = () => api.running;
const file = path.join(api.folder, 'swapped.kubeconfig');
const endAfterTest = stopAfterTest((controllers: ProgramProcess) => controllers.stop(), 60_000);
const client = useClosable(() => adminClient([server().address], server().certificates));

async function writeKubeconfig(validity: CertificateValidity): Promise<void> {
  const certificate = server().certificates.authority;
  const authority = { certificate, key: readFileSync(path.join(server().pki, 'ca.key'), 'utf8') };
  const { commonName } = CONTROLLERS_LEAF.subject;
  writeFileSync(
    file,
    formatKubeconfig({
      server: server().address,
      authority: certificate,
      user: 'controllers',
      credential: await makePair(authority, 'client', { validity, commonName, names: [] }),
    }),
  );
}

test('controllers that log an expired client certificate load the renewed one without a restart', async () => {
  await writeKubeconfig('expired');
  const controllers = endAfterTest(startAcceleratedControllers(server(), `--kubeconfig=${file}`, '--controllers=serviceaccount'));
  await waitUntil('the log to name the remedy', () => controllers.output.includes('the file is reloaded without a restart'));
  expect(controllers.output).toMatch(/"level":"error".*the client certificate of [^ ]*swapped\.kubeconfig has expired at /);
  await writeKubeconfig('valid');
  const findAccount = () => undefinedIfNotFound(client().of(ACCOUNTS).namespace('default').get('default'));
  await waitUntil('the controllers to reconcile', findAccount, 60_000);
}, 120_000);
