/**
 * Recordings of the credentials that kubeconfigs contain for webhooks (format `webhook-credentials`): their lines, the
 * files that the kubeconfigs name, and a webhook server that keeps the credentials of each request.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate } from '../../../shared/pki/certificates';
import { startWebhookServer, type WebhookServer } from '../../support/servers/webhook-server';
import { readRecording, listRecordings } from '../recording';
import type { Body } from '../json-response';
import { body, either, listOf, number, shape, text, type Checked } from '../shape';

const AREA = 'webhook-credentials';
const HOUR_MS = 3_600_000;

/** The address of a webhook: a port of a Service, or a URL, in which `<port>` stands for the webhook server's. */
const isTarget = either(shape({ service: text, namespace: text, port: number }), shape({ url: text }));
export type WebhookTarget = Checked<typeof isTarget>;

/**
 * Placeholders of the kubeconfig: `<port>` is the webhook server's, `<folder>` the folder of files, `<certificate>` and
 * `<key>` a client certificate; the suffix `-data` selects base64.
 */
const isHead = shape({ format: text, serverFlags: listOf(text), kubeconfig: body });
/** `seen` are the credentials that the webhook received; `message` is the rejection when it was not called. */
const isCase = shape({ target: isTarget }, { seen: body, message: text });

export interface CredentialRecording {
  readonly head: Checked<typeof isHead>;
  readonly cases: readonly Checked<typeof isCase>[];
}

/** The recording with this full name, such as `webhook-credentials/hosts`. */
export const credentialRecording = (recording: string): CredentialRecording => readRecording(recording, isHead, isCase);

/** The recordings by the last part of their names. */
export function credentialRecordings(): ReadonlyMap<string, CredentialRecording> {
  return new Map(listRecordings(AREA).map((name) => [name.slice(AREA.length + 1), credentialRecording(name)]));
}

/** The target as a text, for titles. */
export const targetName = (target: WebhookTarget): string =>
  'url' in target ? target.url : `${target.service}.${target.namespace}.svc:${target.port}`;

/** The target with the port of the webhook server. */
export const resolveTarget = (target: WebhookTarget, port: number): WebhookTarget =>
  'url' in target ? { url: target.url.replaceAll('<port>', String(port)) } : target;

/**
 * Writes the kubeconfigs of all recordings and the files that they name. Returns the kubeconfigs' paths by the
 * recordings' names.
 */
export async function writeCredentialFiles(folder: string, port: number): Promise<ReadonlyMap<string, string>> {
  const { certificate, key } = await clientCertificate();
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  write('client.crt', certificate);
  write('client.key', key);
  write('token', ' from-the-file\n');
  const fillIn = (kubeconfig: Body): string =>
    JSON.stringify(kubeconfig)
      .replaceAll('<port>', String(port))
      .replaceAll('<folder>', folder)
      .replaceAll('<certificate-data>', Buffer.from(certificate).toString('base64'))
      .replaceAll('<key-data>', Buffer.from(key).toString('base64'))
      .replaceAll('<certificate>', () => inProgramOutput(certificate))
      .replaceAll('<key>', () => inProgramOutput(key));
  return new Map(
    [...credentialRecordings()].map(([name, { head }]) => [name, write(`${name}.kubeconfig`, fillIn(head.kubeconfig))] as const),
  );
}

/** Escapes a text for the JSON that a program prints, which is itself inside JSON. */
function inProgramOutput(content: string): string {
  const quoted = JSON.stringify(content).slice(1, -1);
  return JSON.stringify(quoted).slice(1, -1);
}

async function clientCertificate(): Promise<{ readonly certificate: string; readonly key: string }> {
  const lifetime = { lifetimeMs: HOUR_MS, clock: systemClock };
  const authority = await createAuthority({ subject: { commonName: 'clients' }, ...lifetime });
  return issueCertificate({ subject: { commonName: 'the-server' }, ...lifetime, authority, usage: 'client' });
}

export interface CredentialServer extends WebhookServer {
  /** The credentials of each request: headers, and the common name of a client certificate. */
  readonly seen: Body[];
}

/** Allows every review. Its certificate is valid for the Services of all recordings. */
export async function startCredentialServer(host: string, port?: number): Promise<CredentialServer> {
  const targets = [...credentialRecordings().values()].flatMap(({ cases }) => cases.map(({ target }) => target));
  const services = targets.flatMap((target) => ('url' in target ? [] : [`${target.service}.${target.namespace}.svc`]));
  const seen: Body[] = [];
  const server = await startWebhookServer({
    names: ['localhost', '127.0.0.1', ...new Set(services)],
    host,
    ...(port === undefined ? {} : { port }),
    requestsClientCertificate: true,
    reply({ headers, text: review, client }) {
      const shown = Object.entries(headers).filter(([name]) => name === 'authorization' || name.startsWith('impersonate-'));
      seen.push({ ...Object.fromEntries(shown), ...(client === undefined ? {} : { client }) });
      const [, uid = ''] = /"uid":"([^"]*)"/.exec(review) ?? [];
      return { body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } } };
    },
  });
  return { ...server, seen };
}
