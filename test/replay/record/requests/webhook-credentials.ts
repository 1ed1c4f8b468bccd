/**
 * Records the credentials that webhooks receive (format `webhook-credentials`): writes kubeconfigs and an admission
 * configuration with one of them, with which the server must be started.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '../../../support/programs';
import { textOf, type Body, type JsonResponse } from '../../json-response';
import {
  credentialRecording,
  startCredentialServer,
  resolveTarget,
  writeCredentialFiles,
  type CredentialServer,
  type WebhookTarget,
} from '../../formats/webhook-credentials';
import { fromEnvironment, waitForServer } from '../environment';
import type { ReferenceServer } from '../reference-server';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
/** The name of the webhook configuration. */
const NAME = 'credentials';
/** Creations of ConfigMaps, which make the server call the webhook. */
const RULE: Body = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

export async function recordWebhookCredentials(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = credentialRecording(recording);
  const port = Number(fromEnvironment('WEBHOOK_PORT'));
  const configuration = await writeConfiguration(path.basename(recording), port);
  await waitForServer(server, [configuration]);
  const webhook = await startCredentialServer('0.0.0.0', port);
  try {
    await server.sendJson('DELETE', `${CONFIGURATIONS}/${NAME}`);
    const lines: unknown[] = [head];
    for (const { target } of cases) {
      if ('service' in target) await createService(server, target.namespace, target.service, port);
      lines.push({ target, ...(await credentialsFor(server, webhook, resolveTarget(target, port))) });
    }
    return lines;
  } finally {
    await webhook.close();
  }
}

/** Writes the admission configuration with the kubeconfig of a recording. Returns its path. */
async function writeConfiguration(name: string, port: number): Promise<string> {
  const folder = fromEnvironment('RECORD_FOLDER');
  const kubeConfigFile = (await writeCredentialFiles(folder, port)).get(name);
  const configuration = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'WebhookAdmissionConfiguration', kubeConfigFile };
  const plugins = [{ name: 'ValidatingAdmissionWebhook', configuration }];
  const file = path.join(folder, 'admission.yaml');
  writeFileSync(file, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }));
  return file;
}

/** The endpoint is the webhook server at an address of this machine, because the server rejects loopback addresses. */
async function createService(server: ReferenceServer, namespace: string, name: string, targetPort: number): Promise<void> {
  const ports = [443, 8443];
  const metadata = { name };
  await server.sendJson('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const spec = { ports: ports.map((port): Body => ({ name: `p${port}`, port, targetPort })) };
  await server.sendJson('POST', `/api/v1/namespaces/${namespace}/services`, { metadata, spec });
  const addresses = [{ ip: fromEnvironment('WEBHOOK_ADDRESS') }];
  const subsets = [{ addresses, ports: ports.map((port): Body => ({ name: `p${port}`, port: targetPort })) }];
  await server.sendJson('POST', `/api/v1/namespaces/${namespace}/endpoints`, { metadata, subsets });
}

/** The target as a webhook configuration has it. */
function clientConfig(target: WebhookTarget, caBundle: string): Body {
  if ('url' in target) return { url: target.url, caBundle };
  const { service: name, namespace, port } = target;
  return { service: { name, namespace, port }, caBundle };
}

/** The credentials that the webhook received, or why the server did not call it. */
async function credentialsFor(server: ReferenceServer, webhook: CredentialServer, target: WebhookTarget): Promise<Body> {
  const hook: Body = {
    name: 'asked.example.com',
    clientConfig: clientConfig(target, webhook.caBundle),
    rules: [RULE],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 5,
  };
  await server.create(CONFIGURATIONS, { metadata: { name: NAME }, webhooks: [hook] });
  webhook.seen.splice(0);
  const reply = await waitUntil('a call of the webhook, or the reason why it cannot be called', async () => {
    const response = await createConfigMap(server);
    // The server does not see a new Service at once.
    const isFinal = response.code !== 201 && !/not found|no endpoints/.test(messageOf(response));
    return (webhook.seen.length > 0 || isFinal) && response;
  });
  const [seen] = webhook.seen.splice(0);
  await server.sendJson('DELETE', `${CONFIGURATIONS}/${NAME}`);
  await waitUntil('the end of the calls of the webhook', async () => {
    webhook.seen.splice(0);
    return (await createConfigMap(server)).code === 201 && webhook.seen.length === 0;
  });
  const message = reply.code === 201 ? '' : messageOf(reply).replaceAll(/(?<= )\/\S+\/(?=none)/g, '<folder>/');
  const outcome: Body = { ...(seen === undefined ? {} : { seen }), ...(message === '' ? {} : { message }) };
  return JSON.parse(JSON.stringify(outcome).replaceAll(`:${webhook.port}`, ':<port>'));
}

function createConfigMap(server: ReferenceServer): Promise<JsonResponse> {
  return server.sendJson('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', { metadata: { name: 'm' } });
}

const messageOf = ({ body: { message } }: JsonResponse): string => textOf(message);
