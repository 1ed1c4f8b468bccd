/**
 * CertificateSigningRequest strategy: the server sets the requester, and the spec is immutable. Conditions of approval
 * change only through `approval`, the certificate only through `status`. Signing is left to the signer's controller.
 */
import type { Errors } from '../rules/checks';
import { checkCertificateRequestSpec } from './certificate-spec';
import {
  checkCertificate,
  checkCertificateUnchanged,
  checkConditionUpdate,
  checkConditions,
  setConditionTimes,
} from './certificate-status';
import { UPDATE } from '../../registry/stages';
import type { Strategy, StrategyContext } from '../../registry/strategy';
import type { CertificatesV1CertificateSigningRequest } from '../../../shared/api/types/generated/members';

export const certificateSigningRequest: Strategy<CertificatesV1CertificateSigningRequest> = {
  // The spec has no field managers; each endpoint owns its part of the status.
  resetFields: new Map([
    ['', { 'f:spec': {}, 'f:status': {} }],
    ['approval', { 'f:spec': {}, 'f:status': { 'f:certificate': {} } }],
    ['status', { 'f:spec': {}, 'f:status': { 'f:conditions': {} } }],
  ]),
  prepareForCreate: setRequester,
  validate(object, old) {
    const errors: Errors = [];
    // The spec is immutable, so it is validated only at creation.
    if (old === undefined) checkCertificateRequestSpec(object, errors);
    return errors;
  },
  update: {
    stages: UPDATE.metadataTwiceThenChange,
    prepareForUpdate(object, old) {
      if (old.spec !== undefined) object.spec = old.spec;
    },
  },
  approval: {
    stages: UPDATE.metadataTwiceThenChange,
    prepareForUpdate: (object, old, { now }) => setConditionTimes(object, old, now),
    validate(object, old) {
      const errors: Errors = [];
      checkConditions(object, errors);
      checkConditionUpdate(object, old, { mayApprove: true }, errors);
      return errors;
    },
  },
  status: {
    stages: UPDATE.metadataTwiceThenChange,
    prepareForUpdate: (object, old, { now }) => setConditionTimes(object, old, now),
    validate(object, old) {
      const errors: Errors = [];
      checkConditions(object, errors);
      checkCertificate(object, errors);
      checkConditionUpdate(object, old, { mayApprove: false }, errors);
      checkCertificateUnchanged(object, old, errors);
      return errors;
    },
  },
};

/** Replaces the requester fields that the client sent. */
function setRequester(object: CertificatesV1CertificateSigningRequest, { user }: StrategyContext): void {
  const spec = object.spec;
  if (spec === undefined) return;
  for (const member of ['username', 'uid', 'groups', 'extra'] as const) delete spec[member];
  spec.username = user.name;
  if (user.uid !== undefined && user.uid !== '') spec.uid = user.uid;
  if (user.groups.length > 0) spec.groups = [...user.groups];
  const extra = Object.entries(user.extra ?? {});
  if (extra.length > 0) spec.extra = Object.fromEntries(extra.map(([key, values]) => [key, [...values]]));
}
