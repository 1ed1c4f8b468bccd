/**
 * The rules of the built-in signers: which requests they sign, for which uses, and for how long. The functions are
 * pure. Messages are upstream's.
 */
import type { CertificateUsages, KeyUsage } from '../../shared/pki/certificate-authority';
import type { ParsedCertificateRequest } from '../../shared/pki/certificate-request';
import type { SigningRequest } from './signing-request';

/** The signer of the client certificates of nodes. The approver approves their requests. */
export const KUBELET_CLIENT_SIGNER = 'platform.io/kube-apiserver-client-kubelet';

/** The built-in signers, in canonical spelling. */
export type SignerName =
  | 'platform.io/kube-apiserver-client'
  | typeof KUBELET_CLIENT_SIGNER
  | 'platform.io/kubelet-serving'
  | 'platform.io/legacy-unknown';

/** Returns the error message of a request that violates the rule. */
type Rule = (request: ParsedCertificateRequest, usages: readonly string[]) => string | undefined;

const DIGITAL_SIGNATURE = 'digital signature';
const KEY_ENCIPHERMENT = 'key encipherment';
const CLIENT_USAGES: ReadonlySet<string> = new Set([DIGITAL_SIGNATURE, KEY_ENCIPHERMENT, 'client auth']);

/** The rules of each signer, in the order in which they are checked. */
const RULES: Readonly<Record<SignerName, readonly Rule[]>> = {
  'platform.io/kube-apiserver-client': [
    (_, usages) => {
      const invalid = usages.find((usage) => !CLIENT_USAGES.has(usage));
      return invalid === undefined ? undefined : `invalid usage for client certificate: ${invalid}`;
    },
    (_, usages) => (usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth'),
  ],
  [KUBELET_CLIENT_SIGNER]: [
    requireNodesOrganization,
    ({ names }) => forbidNames('DNS', names.dns),
    ({ names }) => forbidNames('Email', names.emails),
    ({ names }) => forbidNames('IP', names.ips),
    ({ names }) => forbidNames('URI', names.uris),
    requireNodeCommonName,
    requireUsage('client auth'),
  ],
  'platform.io/kubelet-serving': [
    requireNodesOrganization,
    ({ names }) => (names.dns.length + names.ips.length > 0 ? undefined : 'DNS or IP subjectAltName is required'),
    ({ names }) => forbidNames('Email', names.emails),
    ({ names }) => forbidNames('URI', names.uris),
    requireNodeCommonName,
    requireUsage('server auth'),
  ],
  'platform.io/legacy-unknown': [],
};

/** All built-in signers. */
export const SIGNER_NAMES: readonly SignerName[] = [
  'platform.io/kube-apiserver-client',
  KUBELET_CLIENT_SIGNER,
  'platform.io/kubelet-serving',
  'platform.io/legacy-unknown',
];

/** Returns the first error, or undefined for a valid request. */
export function validateForSigner(signer: SignerName, request: ParsedCertificateRequest, usages: readonly string[]): string | undefined {
  for (const rule of RULES[signer]) {
    const error = rule(request, usages);
    if (error !== undefined) return error;
  }
  return undefined;
}

function requireNodesOrganization({ organizations }: ParsedCertificateRequest): string | undefined {
  return organizations.length === 1 && organizations[0] === 'system:nodes' ? undefined : 'subject organization is not system:nodes';
}

function requireNodeCommonName({ commonName }: ParsedCertificateRequest): string | undefined {
  return commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:';
}

function forbidNames(kind: string, names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `${kind} subjectAltNames are not allowed`;
}

/** The usages must be digital signature and the given one, with or without key encipherment. */
function requireUsage(usage: string): Rule {
  const required = [DIGITAL_SIGNATURE, KEY_ENCIPHERMENT, usage].sort();
  return (_, usages) => {
    const requested = new Set([...usages, KEY_ENCIPHERMENT]);
    const isMatch = requested.size === required.length && required.every((name) => requested.has(name));
    return isMatch ? undefined : `usages did not match [${required.join(' ')}]`;
  };
}

/** The key usages of X.509 by the usages of the API. */
const KEY_USAGES: Readonly<Record<string, KeyUsage>> = {
  signing: 'digitalSignature',
  [DIGITAL_SIGNATURE]: 'digitalSignature',
  'content commitment': 'nonRepudiation',
  [KEY_ENCIPHERMENT]: 'keyEncipherment',
  'key agreement': 'keyAgreement',
  'data encipherment': 'dataEncipherment',
  'cert sign': 'keyCertSign',
  'crl sign': 'cRLSign',
  'encipher only': 'encipherOnly',
  'decipher only': 'decipherOnly',
};

/** The object identifiers of extended key usages by the usages of the API. */
const EXTENDED_KEY_USAGES: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/** The uses in a certificate for the usages of a request. Unknown usages are left out. */
export function certificateUses(usages: readonly string[]): CertificateUsages {
  const lookUp = <T>(table: Readonly<Record<string, T>>): readonly T[] => [
    ...new Set(usages.flatMap((usage) => (Object.hasOwn(table, usage) ? (table[usage] ?? []) : []))),
  ];
  return { keyUsages: lookUp(KEY_USAGES), extendedKeyUsages: lookUp(EXTENDED_KEY_USAGES) };
}

/** How long before its issue a certificate becomes valid, for clients with clocks that are behind. */
const BACKDATING_MS = 5 * 60_000;
/** The least that `spec.expirationSeconds` may request. */
const MIN_LIFETIME_MS = 10 * 60_000;
/** A lifetime of at least this length includes the back-dating; to a shorter one the back-dating is added. */
const LONG_LIFETIME_MS = 8 * 3_600_000;

/**
 * The validity of a certificate that is issued now, in whole seconds. `maxLifetimeMs` limits the requested lifetime and
 * is the default. All times are milliseconds since 1970.
 */
export function validityPeriod(
  { expirationSeconds }: Pick<SigningRequest, 'expirationSeconds'>,
  maxLifetimeMs: number,
  now: number,
): { readonly notBefore: number; readonly notAfter: number } {
  const second = Math.floor(now / 1000) * 1000;
  const notBefore = second - BACKDATING_MS;
  const requestedMs = expirationSeconds === undefined ? maxLifetimeMs : Math.max(MIN_LIFETIME_MS, expirationSeconds * 1000);
  const lifetimeMs = Math.min(requestedMs, maxLifetimeMs);
  return { notBefore, notAfter: (lifetimeMs < LONG_LIFETIME_MS ? second : notBefore) + lifetimeMs };
}
