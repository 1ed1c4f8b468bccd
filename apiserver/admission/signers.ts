/**
 * Who may decide on requests for certificates, and who may sign them: whoever the authorizer allows to `approve` or `sign` the signer that a request names (resource
 * `signers`, which nobody serves: it only names the permission), by its name or by its domain (`example.com/*`). And nobody asks clients' signer for a certificate
 * of those who may do everything: no request could take that back.
 */
import { equalJson, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { forbidden, type StatusError } from '../../shared/api/errors/status';
import { MASTERS_GROUP, type UserInfo } from '../../shared/api/identity/user';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { parseCertificateRequest } from '../../shared/pki/certificate-request';
import { whenResolved, type MaybePromise } from '../../shared/runtime/maybe-promise';
import type { AdmissionTarget, AdmissionRequest } from '../registry/admission';
import type { ValidatingPlugin } from './chain';

export interface SignerUse {
  readonly verb: 'approve' | 'sign';
  /** In canonical spelling; `example.com/*` = all of a domain. */
  readonly name: string;
}

export type MayUseSigner = (user: UserInfo, use: SignerUse) => MaybePromise<boolean>;

const CLIENTS = 'platform.io/kube-apiserver-client';

export const signerPlugins = (mayUse: MayUseSigner): readonly ValidatingPlugin[] => [
  guard('CertificateApproval', 'UPDATE', 'approval', (request) => mayOnly(mayUse, 'approve', request)),
  guard('CertificateSigning', 'UPDATE', 'status', (request) => (isAnswered(request) ? mayOnly(mayUse, 'sign', request) : undefined)),
  guard('CertificateSubjectRestriction', 'CREATE', undefined, refuseMasters),
];

/** Judges what happens to requests for certificates at one endpoint. */
function guard(
  name: string,
  wanted: 'CREATE' | 'UPDATE',
  endpoint: string | undefined,
  judge: (request: AdmissionRequest) => Promise<void> | undefined,
): ValidatingPlugin {
  const isMeant = ({ resource: { row }, subresource }: AdmissionTarget): boolean =>
    row.group === 'certificates.platform.io' && row.resource === 'certificatesigningrequests' && subresource === endpoint;
  return {
    name,
    handles: (operation) => operation === wanted,
    inspectsObject: isMeant,
    validate: (request) => (isMeant(request) ? judge(request) : undefined),
  };
}

const signerOf = (object: JsonObject | undefined): string => stringAt(objectAt(object, 'spec'), 'signerName') ?? '';

/** The signer that is stored counts. */
function mayOnly(mayUse: MayUseSigner, verb: SignerUse['verb'], request: AdmissionRequest): Promise<void> | undefined {
  const signer = signerOf(request.oldObject);
  const name = canonicalQualifiedName(signer);
  const domain = `${name.split('/', 1)[0] ?? ''}/*`;
  const may = whenResolved(mayUse(request.user, { verb, name }), (allowed) => allowed || mayUse(request.user, { verb, name: domain }));
  const refuse = (allowed: boolean): undefined => {
    if (!allowed) throw refusal(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`);
  };
  return may instanceof Promise ? may.then(refuse) : refuse(may);
}

/** Labels and the like are for all who may write the status. */
function isAnswered({ object, oldObject }: AdmissionRequest): boolean {
  const [now, before] = [objectAt(object, 'status') ?? {}, objectAt(oldObject, 'status') ?? {}];
  const isSame = (member: string, absent: JsonObject[] | string): boolean =>
    equalJson(own(now, member) ?? absent, own(before, member) ?? absent);
  return !isSame('certificate', '') || !isSame('conditions', []);
}

function refuseMasters(request: AdmissionRequest): undefined {
  const signer = signerOf(request.object);
  if (canonicalQualifiedName(signer) !== CLIENTS) return;
  const text = Buffer.from(stringAt(objectAt(request.object, 'spec'), 'request') ?? '', 'base64').toString('latin1');
  if (parseCertificateRequest(text).organizations.includes(MASTERS_GROUP))
    throw refusal(request, `use of ${signer} signer with ${MASTERS_GROUP} group is not allowed`);
}

/** A generated name is in the object by now. */
function refusal({ resource: { row }, name, object }: AdmissionRequest, text: string): StatusError {
  const { group, resource } = row;
  return forbidden({ group, resource }, stringAt(readMetadata(object ?? {}), 'name') ?? name, text);
}
