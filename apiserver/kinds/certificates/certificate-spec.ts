/**
 * Validates the spec of CertificateSigningRequests: a PKCS #10 request with a valid signature, a signer name and the
 * usages of the key. Whether the requester may use the signer is left to admission.
 */
import {
  duplicateValue,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
  tooLongValue,
} from '../../../shared/api/errors/field-error';
import type { CertificatesV1CertificateSigningRequest } from '../../../shared/api/types/generated/members';
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import { parseCertificateRequest, CertificateRequestError } from '../../../shared/pki/certificate-request';
import { formatGoBytes } from '../../../shared/values/go-values';
import { checkDnsLabel, checkDnsSubdomain, type NameCheck } from '../../../shared/values/name-formats';
import type { Errors } from '../rules/checks';

const USAGES: readonly string[] = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const LEGACY_SIGNER = 'platform.io/legacy-unknown';
/** The minimum of `expirationSeconds`. */
const MIN_SECONDS = 600;

export function checkCertificateRequestSpec({ spec }: CertificatesV1CertificateSigningRequest, errors: Errors): void {
  checkRequest(spec?.request ?? undefined, errors);
  checkUsages(spec?.usages ?? [], errors);
  checkSigner(spec?.signerName ?? '', errors);
  const seconds = spec?.expirationSeconds;
  if (seconds !== undefined && seconds < MIN_SECONDS) {
    errors.push(invalidValue('spec.expirationSeconds', seconds, 'may not specify a duration less than 600 seconds (10 minutes)'));
  }
}

function checkRequest(encoded: string | undefined, errors: Errors): void {
  try {
    parseCertificateRequest(Buffer.from(encoded ?? '', 'base64').toString('latin1'));
  } catch (error) {
    if (!(error instanceof CertificateRequestError)) throw error;
    errors.push(invalidShownValue('spec.request', formatGoBytes(encoded), error.message));
  }
}

function checkUsages(usages: readonly string[], errors: Errors): void {
  if (usages.length === 0) errors.push(requiredValue('spec.usages'));
  usages.forEach((usage, index) => {
    if (!USAGES.includes(usage)) errors.push(unsupportedValue(`spec.usages[${index}]`, usage, USAGES));
  });
  // In a loop of their own, because upstream reports duplicates after all unsupported usages.
  const seen = new Set<string>();
  usages.forEach((usage, index) => {
    if (seen.has(usage)) errors.push(duplicateValue(`spec.usages[${index}]`, usage));
    seen.add(usage);
  });
}

const SIGNER = 'spec.signerName';
const MAX_DOMAIN_LENGTH = 253;
/** A domain, a slash, and a path of at most 253 + 1 + 63 characters (upstream's limit). */
const MAX_SIGNER_LENGTH = 571;

function checkSigner(signer: string, errors: Errors): void {
  if (signer === '') {
    errors.push(requiredValue(SIGNER));
    return;
  }
  const [domain = '', path, ...more] = signer.split('/');
  if (path === undefined || more.length > 0) {
    errors.push(invalidValue(SIGNER, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'"));
    return;
  }
  checkDomain(domain, errors);
  checkLabels(path, checkDnsSubdomain, errors);
  if (signer.length > MAX_SIGNER_LENGTH) errors.push(tooLongValue(SIGNER, MAX_SIGNER_LENGTH));
  if (canonicalQualifiedName(signer) === LEGACY_SIGNER) {
    errors.push(invalidValue(SIGNER, signer, 'the legacy signerName is not allowed via this API version'));
  }
}

function checkDomain(domain: string, errors: Errors): void {
  if (domain.length > MAX_DOMAIN_LENGTH) errors.push(tooLongValue(SIGNER, MAX_DOMAIN_LENGTH));
  checkLabels(domain, checkDnsLabel, errors);
  if (!domain.includes('.')) errors.push(invalidValue(SIGNER, domain, 'should be a domain with at least two segments separated by dots'));
}

/** Reports the errors of the first invalid label of `name`, the labels of which are separated by dots. */
function checkLabels(name: string, check: NameCheck, errors: Errors): void {
  const invalidLabel = name.split('.').find((label) => check(label).length > 0);
  if (invalidLabel === undefined) return;
  for (const text of check(invalidLabel)) {
    errors.push(invalidValue(SIGNER, name, `validating label ${JSON.stringify(invalidLabel)}: ${text}`));
  }
}
