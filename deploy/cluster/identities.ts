/** The certificates by which the parts of a cluster know each other, whoever starts them: names that lead to the API servers, and who their clients are. */
import { MASTERS } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import type { Leaf } from './credentials';

const serviceNames = Object.values(GENERATED_NAMES).flatMap(({ defaultService }) =>
  ['', '.default', '.default.svc', '.default.svc.cluster.local'].map((suffix) => defaultService + suffix),
);

/** `names`: others under which the API servers are reached. */
export const serverLeaf = (names: readonly string[]): Leaf => ({
  file: 'apiserver',
  label: "the API servers' certificate",
  usage: 'server',
  subject: { commonName: 'apiserver' },
  names: ['localhost', ...serviceNames, '127.0.0.1', '::1', ...names],
});

export const ADMIN_LEAF: Leaf = {
  file: 'admin',
  label: "the administrator's certificate",
  usage: 'client',
  subject: { commonName: 'platform-admin', organizations: [MASTERS] },
  names: [],
};

export const CONTROLLERS_LEAF: Leaf = {
  file: 'controllers',
  label: "the controllers' certificate",
  usage: 'client',
  // The user whom a default role lets watch everything and ask for the tokens of the controllers' accounts.
  subject: { commonName: 'system:kube-controller-manager' },
  names: [],
};
