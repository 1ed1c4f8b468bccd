/**
 * The certificates in `<data-dir>/pki` for administrators: lists all of them with their expiry, and renews those of the
 * table below, with the authorities in the folder; certificates.ts creates them for a start. The authorities themselves
 * are not replaced, because every copied kubeconfig trusts them. Running programs reload the files.
 */
import { X509Certificate } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../shared/runtime/clock';
import { errorCode } from '../../shared/runtime/error-code';
import { readFileIfExists } from '../../shared/runtime/files/read-file-if-exists';
import { readCertificate, type Credential } from '../../shared/pki/certificates';
import { readKubeconfig } from '../../shared/client/kubeconfig/kubeconfig';
import { CredentialFolder, type Authority, type Leaf } from '../cluster/credentials';
import {
  ADMIN_LEAF,
  CLUSTER_AUTHORITY,
  CONTROLLERS_LEAF,
  KUBELET_CLIENT_LEAF,
  PROXY_AUTHORITY,
  PROXY_LEAF,
  serverLeaf,
  SIMULATION_LEAF,
} from '../cluster/identities';
import { ownMember } from '../../shared/values/json';
import { writeKubeconfig, type KubeconfigFile } from './certificates';
import type { Layout } from './plan';

/** A certificate of the folder, as `platform certificates list` shows it. */
export interface CertificateFile {
  /** The name of the file without `.crt`; {@link renewCertificates} takes those of {@link RENEWABLE_NAMES}. */
  readonly name: string;
  readonly subject: string;
  readonly issuer: string;
  /** RFC 3339. */
  readonly expires: string;
  /** Milliseconds; negative when it has expired. */
  readonly remainingMs: number;
  readonly isAuthority: boolean;
}

/** How a certificate is issued again. */
interface RenewableRow {
  /** The certificate to issue; `current` is the present one in PEM. */
  readonly leaf: (current: string) => Leaf;
  readonly authority: Authority;
  /** The kubeconfig that contains the certificate. */
  readonly kubeconfig?: KubeconfigFile;
}

/** By the name of the file without `.crt`, which is the `file` of the leaf. */
const RENEWABLE: Readonly<Record<string, RenewableRow>> = {
  // Keeps the names of the present certificate, which depend on flags of the start (--advertise-address and others).
  apiserver: { leaf: (current) => ({ ...serverLeaf([]), names: alternativeNames(current) }), authority: CLUSTER_AUTHORITY },
  admin: { leaf: () => ADMIN_LEAF, authority: CLUSTER_AUTHORITY, kubeconfig: 'kubeconfig' },
  controllers: { leaf: () => CONTROLLERS_LEAF, authority: CLUSTER_AUTHORITY, kubeconfig: 'controllersKubeconfig' },
  'front-proxy-client': { leaf: () => PROXY_LEAF, authority: PROXY_AUTHORITY },
  'kubelet-client': { leaf: () => KUBELET_CLIENT_LEAF, authority: CLUSTER_AUTHORITY },
  simulation: { leaf: () => SIMULATION_LEAF, authority: CLUSTER_AUTHORITY, kubeconfig: 'simulationKubeconfig' },
};

export const RENEWABLE_NAMES: readonly string[] = Object.keys(RENEWABLE);

/** The renewable certificates in the folder: a control plane without simulated nodes has none for their simulation. */
export const renewableIn = (layout: Pick<Layout, 'pki'>): readonly string[] => {
  const present = certificateNames(layout.pki);
  return RENEWABLE_NAMES.filter((name) => present.includes(name));
};

/** All certificates in the folder, sorted by name; none when there is no such folder. */
export function listCertificates({ pki }: Pick<Layout, 'pki'>, clock: Clock): readonly CertificateFile[] {
  return certificateNames(pki)
    .sort()
    .map((name) => {
      const pem = readText(path.join(pki, `${name}.crt`));
      const { commonName, issuer, notAfter } = readCertificate(pem);
      return {
        name,
        subject: commonName,
        issuer,
        expires: new Date(notAfter).toISOString(),
        remainingMs: notAfter - clock.now(),
        isAuthority: new X509Certificate(pem).ca,
      };
    });
}

/**
 * Replaces the named certificates and keys, and the kubeconfigs that contain them. Creates the folder when it is missing.
 * Rejects before anything else is written when a name is unknown, or a certificate or its authority is missing; when a
 * kubeconfig is missing, the certificates up to its own have been replaced.
 */
export async function renewCertificates(layout: Layout, names: readonly string[], clock: Clock): Promise<void> {
  const folder = new CredentialFolder(layout.pki, clock, () => undefined);
  const renewals = names.map((name) => {
    const row = ownMember(RENEWABLE, name);
    if (row === undefined) throw new Error(`there is no certificate ${JSON.stringify(name)} that can be renewed`);
    const present = readText(path.join(layout.pki, `${name}.crt`));
    return { ...row, leaf: row.leaf(present), authority: readCredential(layout.pki, row.authority.file) };
  });
  for (const { leaf, authority, kubeconfig } of renewals) {
    const renewed = await folder.renew(authority, leaf);
    if (kubeconfig === undefined) continue;
    const [server] = readKubeconfig(layout[kubeconfig]).servers;
    // A kubeconfig has at least one server; the empty text is for the compiler only.
    writeKubeconfig({ layout, server: server?.origin ?? '', authority: authority.certificate }, kubeconfig, renewed);
  }
}

function certificateNames(pki: string): string[] {
  try {
    return readdirSync(pki).flatMap((file) => (file.endsWith('.crt') ? [file.slice(0, -'.crt'.length)] : []));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function readCredential(pki: string, name: string): Credential {
  return { certificate: readText(path.join(pki, `${name}.crt`)), key: readText(path.join(pki, `${name}.key`)) };
}

function readText(file: string): string {
  const text = readFileIfExists(file)?.toString();
  if (text === undefined) throw new Error(`${file} does not exist`);
  return text;
}

/** An entry as Node formats it: `DNS:localhost`, `IP Address:127.0.0.1`. */
const ALTERNATIVE_NAME = /^(?:DNS|IP Address):(.+)$/;

/** The DNS names and IP addresses of a certificate. */
const alternativeNames = (pem: string): readonly string[] =>
  (new X509Certificate(pem).subjectAltName ?? '').split(', ').flatMap((entry) => {
    const name = ALTERNATIVE_NAME.exec(entry)?.[1];
    return name === undefined ? [] : [name];
  });
