/** What the signers of the product demand of a request before they sign it, and for how long they do; pure. The words are upstream's. */
import type { CertificateUsages, KeyUsage } from '../../shared/pki/certificate-authority';
import type { ParsedCertificateRequest } from '../../shared/pki/certificate-request';
import type { SigningRequest } from './request';

export const NODE_CLIENT = 'platform.io/kube-apiserver-client-kubelet';

export type SignerName =
  | 'platform.io/kube-apiserver-client'
  | typeof NODE_CLIENT
  | 'platform.io/kubelet-serving'
  | 'platform.io/legacy-unknown';

type Demand = (request: ParsedCertificateRequest, usages: readonly string[]) => string | undefined;

const SIGNATURE = 'digital signature';
const ENCIPHERMENT = 'key encipherment';
const CLIENT_USES: ReadonlySet<string> = new Set([SIGNATURE, ENCIPHERMENT, 'client auth']);

/** The first thing that is wrong counts. */
const DEMANDS: Readonly<Record<SignerName, readonly Demand[]>> = {
  'platform.io/kube-apiserver-client': [
    (_, usages) => {
      const other = usages.find((usage) => !CLIENT_USES.has(usage));
      return other === undefined ? undefined : `invalid usage for client certificate: ${other}`;
    },
    (_, usages) => (usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth'),
  ],
  [NODE_CLIENT]: [
    isOfNodes,
    ({ names }) => refused('DNS', names.dns),
    ({ names }) => refused('Email', names.emails),
    ({ names }) => refused('IP', names.ips),
    ({ names }) => refused('URI', names.uris),
    isNamedAsNode,
    usedFor('client auth'),
  ],
  'platform.io/kubelet-serving': [
    isOfNodes,
    ({ names }) => (names.dns.length + names.ips.length > 0 ? undefined : 'DNS or IP subjectAltName is required'),
    ({ names }) => refused('Email', names.emails),
    ({ names }) => refused('URI', names.uris),
    isNamedAsNode,
    usedFor('server auth'),
  ],
  'platform.io/legacy-unknown': [],
};

export const SIGNERS: readonly SignerName[] = [
  'platform.io/kube-apiserver-client',
  NODE_CLIENT,
  'platform.io/kubelet-serving',
  'platform.io/legacy-unknown',
];

/** Undefined = all is well. */
export function faultOf(signer: SignerName, request: ParsedCertificateRequest, usages: readonly string[]): string | undefined {
  for (const demand of DEMANDS[signer]) {
    const fault = demand(request, usages);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isOfNodes({ organizations }: ParsedCertificateRequest): string | undefined {
  return organizations.length === 1 && organizations[0] === 'system:nodes' ? undefined : 'subject organization is not system:nodes';
}

function isNamedAsNode({ commonName }: ParsedCertificateRequest): string | undefined {
  return commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:';
}

function refused(sort: string, found: readonly string[]): string | undefined {
  return found.length === 0 ? undefined : `${sort} subjectAltNames are not allowed`;
}

/** A signature and the use, with or without the encipherment of keys. */
function usedFor(use: string): Demand {
  const all = [SIGNATURE, ENCIPHERMENT, use].sort();
  return (_, usages) => {
    const asked = new Set([...usages, ENCIPHERMENT]);
    return asked.size === all.length && all.every((one) => asked.has(one)) ? undefined : `usages did not match [${all.join(' ')}]`;
  };
}

const KEY_USES: Readonly<Record<string, KeyUsage>> = {
  signing: 'digitalSignature',
  [SIGNATURE]: 'digitalSignature',
  'content commitment': 'nonRepudiation',
  [ENCIPHERMENT]: 'keyEncipherment',
  'key agreement': 'keyAgreement',
  'data encipherment': 'dataEncipherment',
  'cert sign': 'keyCertSign',
  'crl sign': 'cRLSign',
  'encipher only': 'encipherOnly',
  'decipher only': 'decipherOnly',
};

const EXTENDED_USES: Readonly<Record<string, string>> = {
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

export function usesOf(usages: readonly string[]): CertificateUsages {
  const found = <T>(table: Readonly<Record<string, T>>): readonly T[] => [
    ...new Set(usages.flatMap((usage) => (Object.hasOwn(table, usage) ? (table[usage] ?? []) : []))),
  ];
  return { keyUsages: found(KEY_USES), extendedKeyUsages: found(EXTENDED_USES) };
}

const BACKDATED_MS = 5 * 60_000;
const LEAST_MS = 10 * 60_000;
/** From this on the time by which a certificate is dated back counts as a part of its life. */
const LONG_MS = 8 * 3_600_000;

/** All in milliseconds; `now` since 1970. Certificates know whole seconds. */
export function lifetimeOf(
  { seconds }: Pick<SigningRequest, 'seconds'>,
  longestMs: number,
  now: number,
): { readonly notBefore: number; readonly notAfter: number } {
  const second = Math.floor(now / 1000) * 1000;
  const notBefore = second - BACKDATED_MS;
  const asked = seconds === undefined ? longestMs : Math.max(LEAST_MS, seconds * 1000);
  const life = Math.min(asked, longestMs);
  return { notBefore, notAfter: (life < LONG_MS ? second : notBefore) + life };
}
