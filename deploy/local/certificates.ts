/**
 * The certificates and keys of a local control plane, in `<data-dir>/pki`: made on the first start, kept as long as they are good, and
 * replaced when they run out, do not fit together, or do not cover the names they must.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { MASTERS } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import { errorCode } from '../../shared/runtime/error-code';
import {
  belongsTogether,
  covers,
  createAuthority,
  createSigningKeyPair,
  publicKeyOf,
  issueCertificate,
  needsRenewal,
  type Credential,
  type Subject,
} from '../../shared/runtime/pki';
import { writeFileAtomically } from './files';

export interface Certificates {
  /** PEM. */
  readonly authority: string;
  readonly admin: Credential;
  readonly controllers: Credential;
  /** What was made in this call, in words for the console; empty when everything was there. */
  readonly made: readonly string[];
}

interface Leaf {
  readonly file: string;
  readonly label: string;
  readonly usage: 'server' | 'client';
  readonly subject: Subject;
  readonly names: readonly string[];
}

const DAY = 86_400_000;
const AUTHORITY_LIFETIME_MS = 3_650 * DAY;
const LEAF_LIFETIME_MS = 365 * DAY;

const serviceNames = Object.values(GENERATED_NAMES).flatMap(({ defaultService }) =>
  ['', '.default', '.default.svc', '.default.svc.cluster.local'].map((suffix) => defaultService + suffix),
);

const server = {
  file: 'apiserver',
  label: "the API servers' certificate",
  usage: 'server',
  subject: { commonName: 'apiserver' },
  names: ['localhost', ...serviceNames, '127.0.0.1', '::1'],
} as const satisfies Leaf;

const admin: Leaf = {
  file: 'admin',
  label: "the administrator's certificate",
  usage: 'client',
  subject: { commonName: 'platform-admin', organizations: [MASTERS] },
  names: [],
};

const controllers: Leaf = {
  file: 'controllers',
  label: "the controllers' certificate",
  usage: 'client',
  // The user whom a default role lets watch everything and ask for the tokens of the controllers' accounts.
  subject: { commonName: 'system:kube-controller-manager' },
  names: [],
};

/** Makes what is missing or no longer good in `folder`. `addresses`: others under which the API servers are reached. Errors of the file system are thrown. */
export async function ensureCertificates(folder: string, clock: Clock, addresses: readonly string[] = []): Promise<Certificates> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const made: string[] = [];
  const authority = await ensureAuthority(folder, clock, made);
  await ensureLeaf(folder, clock, authority, { ...server, names: [...server.names, ...addresses] }, made);
  const adminCredential = await ensureLeaf(folder, clock, authority, admin, made);
  const controllersCredential = await ensureLeaf(folder, clock, authority, controllers, made);
  await ensureSigningKeys(folder, made);
  return { authority: authority.certificate, admin: adminCredential, controllers: controllersCredential, made };
}

async function ensureAuthority(folder: string, clock: Clock, made: string[]): Promise<Credential> {
  const present = read(folder, 'ca');
  if (present !== undefined && belongsTogether(present, present.certificate) && !needsRenewal(present.certificate, clock)) return present;
  const fresh = await createAuthority({ subject: { commonName: 'platform-ca' }, lifetimeMs: AUTHORITY_LIFETIME_MS, clock });
  write(folder, 'ca', fresh);
  made.push('the certificate authority');
  return fresh;
}

async function ensureLeaf(folder: string, clock: Clock, authority: Credential, leaf: Leaf, made: string[]): Promise<Credential> {
  const present = read(folder, leaf.file);
  if (present !== undefined && isGood(present, clock, authority, leaf)) return present;
  const { usage, subject, names } = leaf;
  const fresh = await issueCertificate({ authority, usage, subject, names, lifetimeMs: LEAF_LIFETIME_MS, clock });
  write(folder, leaf.file, fresh);
  made.push(leaf.label);
  return fresh;
}

function isGood(credential: Credential, clock: Clock, authority: Credential, leaf: Leaf): boolean {
  return (
    belongsTogether(credential, authority.certificate) &&
    !needsRenewal(credential.certificate, clock) &&
    covers(credential.certificate, leaf.names)
  );
}

/** Keys for service account tokens; they do not expire, and tokens would end with them, so they are made once. */
async function ensureSigningKeys(folder: string, made: string[]): Promise<void> {
  const privateKey = readText(folder, 'sa.key');
  if (privateKey === undefined) {
    const pair = await createSigningKeyPair();
    writeFileAtomically(path.join(folder, 'sa.key'), pair.privateKey, 0o600);
    writeFileAtomically(path.join(folder, 'sa.pub'), pair.publicKey, 0o644);
    made.push('the token signing keys');
  } else if (readText(folder, 'sa.pub') === undefined) {
    writeFileAtomically(path.join(folder, 'sa.pub'), publicKeyOf(privateKey), 0o644);
    made.push('the public half of the token signing key');
  }
}

function read(folder: string, name: string): Credential | undefined {
  const [certificate, key] = [readText(folder, `${name}.crt`), readText(folder, `${name}.key`)];
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

function write(folder: string, name: string, credential: Credential): void {
  writeFileAtomically(path.join(folder, `${name}.key`), credential.key, 0o600);
  writeFileAtomically(path.join(folder, `${name}.crt`), credential.certificate, 0o644);
}

function readText(folder: string, name: string): string | undefined {
  try {
    return readFileSync(path.join(folder, name), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
