/**
 * Keeps the certificates and keys of a cluster in Secrets of the cluster that its components run in, one Secret for
 * each component. Reads the present Secrets into a temporary folder, renews there what is due, and writes the Secrets
 * that differ. A Secret that was changed meanwhile is not overwritten: the run fails, and a later one succeeds.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { resourceOf } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { CoreV1Secret } from '../../shared/api/types/generated/members';
import type { Clock } from '../../shared/runtime/clock';
import { COMPONENTS, ensureComponentFiles, openComponentFolders, type Component, type ComponentFilesOptions } from './component-files';

/** The Secrets of one namespace. Rejects with the errors of requests. */
export interface SecretStore {
  /** `undefined` when there is none. */
  get(name: string): Promise<CoreV1Secret | undefined>;
  create(secret: CoreV1Secret): Promise<unknown>;
  /** Rejects with a conflict (409) when the stored Secret has another resourceVersion. */
  update(secret: CoreV1Secret): Promise<unknown>;
}

/** The Secrets with their names and labels, and what the renewal in a temporary folder needs. */
export interface ComponentSecretsOptions {
  readonly store: SecretStore;
  readonly clock: Clock;
  /** The parent of the temporary folder, which holds private keys during a run: best in memory. */
  readonly temporaryFolder: string;
  readonly namespace: string;
  /** The name of a Secret is `<prefix>-<component>`. */
  readonly prefix: string;
  /** Of the Secrets that are created. */
  readonly labels: Readonly<Record<string, string>>;
}

const SECRETS = resourceOf('core.v1.Secret');

/** The store of one namespace. */
export function secretStore(client: RestClient, namespace: string): SecretStore {
  const secrets = client.of(SECRETS).namespace(namespace);
  return {
    get: async (name) => (await undefinedIfNotFound(secrets.get(name)))?.body,
    create: (secret) => secrets.create(secret),
    update: (secret) => secrets.update(secret),
  };
}

/** The keys that are safe as names of files. The API allows no others; it also refuses those that start with `..`. */
const FILE_NAME = /^(?!\.\.?$)[\w.-]{1,253}$/;

/**
 * Returns the names of the Secrets that were written. Throws errors of requests and of the file system. Only folders that
 * are named after a component are stored: the `folder` of an etcd certificate must be `etcd`.
 */
export async function ensureComponentSecrets(options: ComponentSecretsOptions, files: ComponentFilesOptions): Promise<readonly string[]> {
  const root = mkdtempSync(path.join(options.temporaryFolder, 'certificates-'));
  try {
    const present = new Map<Component, CoreV1Secret>();
    for (const component of COMPONENTS) {
      const secret = await options.store.get(nameOf(options, component));
      if (secret === undefined) continue;
      present.set(component, secret);
      writeFiles(path.join(root, component), secret);
    }
    await ensureComponentFiles(
      openComponentFolders(root, options.clock, () => undefined),
      files,
    );
    const written: string[] = [];
    for (const component of COMPONENTS) {
      const data = readFiles(path.join(root, component));
      if (await writeSecret(options, component, present.get(component), data)) written.push(nameOf(options, component));
    }
    return written;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const nameOf = ({ prefix }: ComponentSecretsOptions, component: Component): string => `${prefix}-${component}`;

function writeFiles(folder: string, { data = {} }: CoreV1Secret): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, value] of Object.entries(data)) {
    if (value !== null && FILE_NAME.test(name)) writeFileSync(path.join(folder, name), Buffer.from(value, 'base64'), { mode: 0o600 });
  }
}

const readFiles = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (existsSync(folder) ? readdirSync(folder) : []).map((name) => [name, readFileSync(path.join(folder, name)).toString('base64')]),
  );

/**
 * Writes the data of one component; other keys of a present Secret are kept. False when the Secret has this data, or when
 * there is nothing to store.
 */
async function writeSecret(
  options: ComponentSecretsOptions,
  component: Component,
  present: CoreV1Secret | undefined,
  data: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { store, namespace, labels } = options;
  const name = nameOf(options, component);
  if (present === undefined) {
    if (Object.keys(data).length === 0) return false;
    await store.create({ metadata: { namespace, name, labels: { ...labels } }, type: 'Opaque', data: { ...data } });
    return true;
  }
  const before = present.data ?? {};
  if (Object.entries(data).every(([key, value]) => before[key] === value)) return false;
  await store.update({ ...present, data: { ...before, ...data } });
  return true;
}
