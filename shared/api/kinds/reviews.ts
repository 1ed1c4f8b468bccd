/** The questions about who somebody is and what he may do, and the body of a request for a token: all asked by creating them, none stored. */
import { bodyOf, rowsOf, type KindRow } from './row';

const AUTHENTICATION = ['authentication.platform.io', 'v1', 'authentication.v1'] as const;

const authentication = rowsOf(...AUTHENTICATION);
const authorization = rowsOf('authorization.platform.io', 'v1', 'authorization.v1');

const REVIEW = { virtual: true, verbs: ['create'] } as const;

export const TOKEN_REQUEST: KindRow = bodyOf(...AUTHENTICATION, 'TokenRequest');

export const REVIEWS: readonly KindRow[] = [
  authentication('SelfSubjectReview', 'selfsubjectreviews', { ...REVIEW, scope: 'cluster' }),
  authentication('TokenReview', 'tokenreviews', { ...REVIEW, scope: 'cluster' }),
  authorization('LocalSubjectAccessReview', 'localsubjectaccessreviews', REVIEW),
  authorization('SelfSubjectAccessReview', 'selfsubjectaccessreviews', { ...REVIEW, scope: 'cluster' }),
  authorization('SelfSubjectRulesReview', 'selfsubjectrulesreviews', { ...REVIEW, scope: 'cluster' }),
  authorization('SubjectAccessReview', 'subjectaccessreviews', { ...REVIEW, scope: 'cluster' }),
];
