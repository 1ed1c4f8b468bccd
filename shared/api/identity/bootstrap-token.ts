/**
 * The forms of bootstrap tokens and of the groups that their users may have. Whether a token authenticates is decided by
 * the API server.
 */

/** Written `id.secret`. The id is public: it is part of the names of the token's Secret and of its user. */
export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

/** For example `abcdef.0123456789abcdef`. */
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const ID = /^[a-z0-9]{6}$/;
/** For example `system:bootstrappers:kubeadm:default-node-token`. */
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** The group of every user with a bootstrap token. */
export const BOOTSTRAPPERS_GROUP = 'system:bootstrappers';

/** What a token may be used for, as in the keys `usage-bootstrap-…` of its Secret. */
export const BOOTSTRAP_TOKEN_USAGES = ['authentication', 'signing'] as const;
export type BootstrapTokenUsage = (typeof BOOTSTRAP_TOKEN_USAGES)[number];

/** `undefined` when the text is not a bootstrap token. */
export function parseBootstrapToken(text: string): BootstrapToken | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Whether the text has the format of the public part of a token, such as `abcdef`. */
export const isBootstrapTokenId = (text: string): boolean => ID.test(text);

/** Whether a Secret may give the group to the users of its token. */
export const isBootstrapperGroup = (group: string): boolean => GROUP.test(group);
