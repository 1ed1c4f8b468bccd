/**
 * Review kinds of authentication and authorization, and TokenRequest. They are requested by a create and not stored.
 */
import { bodyKind, rowFactory, type KindRow } from './row';

const authentication = rowFactory('authentication.platform.io', 'v1', 'authentication.v1');
const authorization = rowFactory('authorization.platform.io', 'v1', 'authorization.v1');

const REVIEW = { virtual: true, verbs: ['create'] } as const;

export const TOKEN_REQUEST: KindRow = bodyKind(authentication, 'TokenRequest');

export const REVIEW_KINDS: readonly KindRow[] = [
  authentication('SelfSubjectReview', 'selfsubjectreviews', { ...REVIEW, scope: 'cluster' }),
  authentication('TokenReview', 'tokenreviews', { ...REVIEW, scope: 'cluster' }),
  authorization('LocalSubjectAccessReview', 'localsubjectaccessreviews', REVIEW),
  authorization('SelfSubjectAccessReview', 'selfsubjectaccessreviews', { ...REVIEW, scope: 'cluster' }),
  authorization('SelfSubjectRulesReview', 'selfsubjectrulesreviews', { ...REVIEW, scope: 'cluster' }),
  authorization('SubjectAccessReview', 'subjectaccessreviews', { ...REVIEW, scope: 'cluster' }),
];
