/** What stands around webhooks that are asked as somebody: the files that kubeconfigs name, and the server that is asked and tells who asked. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate } from '../../../shared/runtime/pki';
import { startWebhookServer, type WebhookServer } from '../../support/webhook-server';
import type { Body } from '../reference';
import { credentialSets, SERVICE_NAMES } from './cases';

const HOUR_MS = 3_600_000;

/** Returns the kubeconfigs, by set. `port` = of the server that is asked. */
export async function writeCredentialFiles(folder: string, port: number): Promise<Readonly<Record<string, string>>> {
  const client = await clientCertificate();
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  write('client.crt', client.certificate);
  write('client.key', client.key);
  write('token', ' from-the-file\n');
  return Object.fromEntries(
    Object.entries(credentialSets(port)).map(([name, { kubeconfig }]) => [
      name,
      write(`${name}.kubeconfig`, JSON.stringify(kubeconfig({ folder, client }))),
    ]),
  );
}

async function clientCertificate(): Promise<{ readonly certificate: string; readonly key: string }> {
  const lifetime = { lifetimeMs: HOUR_MS, clock: systemClock };
  const authority = await createAuthority({ subject: { commonName: 'clients' }, ...lifetime });
  return issueCertificate({ subject: { commonName: 'the-server' }, ...lifetime, authority, usage: 'client' });
}

/** Who has asked: what is to be told of each request. */
export interface CredentialServer extends WebhookServer {
  readonly seen: Body[];
}

export async function startCredentialServer(host: string, port?: number): Promise<CredentialServer> {
  const seen: Body[] = [];
  const server = await startWebhookServer({
    names: ['localhost', '127.0.0.1', ...SERVICE_NAMES],
    host,
    ...(port === undefined ? {} : { port }),
    asksForCertificates: true,
    reply({ headers, text, client }) {
      const shown = Object.entries(headers).filter(([name]) => name === 'authorization' || name.startsWith('impersonate-'));
      seen.push({ ...Object.fromEntries(shown), ...(client === undefined ? {} : { client }) });
      return { body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: uidOf(text), allowed: true } } };
    },
  });
  return { ...server, seen };
}

function uidOf(text: string): string {
  return /"uid":"([^"]*)"/.exec(text)?.[1] ?? '';
}
