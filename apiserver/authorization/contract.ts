/** What every authorizer is: a decision about who may do what. Never answers a request. */
import type { UserInfo } from '../../shared/api/user';

export interface ResourceAttributes {
  readonly kind: 'resource';
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface PathAttributes {
  readonly kind: 'path';
  readonly verb: string;
  readonly path: string;
}

export type Attributes = ResourceAttributes | PathAttributes;

export type Decision =
  | { readonly type: 'allow' }
  /** Stops the chain. `reason` may be empty. */
  | { readonly type: 'deny'; readonly reason: string }
  | { readonly type: 'no-opinion'; readonly reason: string };

export interface Authorizer {
  authorize(user: UserInfo, attributes: Attributes): Decision;
}

export const ALLOW: Decision = { type: 'allow' };
export const NO_OPINION: Decision = { type: 'no-opinion', reason: '' };
