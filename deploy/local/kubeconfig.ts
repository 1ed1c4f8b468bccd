/** The administrator's kubeconfig, with the certificates inside, so that the one file is all a client needs. */
import type { Credential } from '../../shared/runtime/pki';

const CLUSTER = 'platform';
const USER = 'platform-admin';

/** YAML text. `server` is an https address, `authority` a PEM certificate. */
export function kubeconfig(server: string, authority: string, admin: Credential): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: ${CLUSTER}
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(authority)}
users:
- name: ${USER}
  user:
    client-certificate-data: ${base64(admin.certificate)}
    client-key-data: ${base64(admin.key)}
contexts:
- name: ${USER}@${CLUSTER}
  context:
    cluster: ${CLUSTER}
    user: ${USER}
current-context: ${USER}@${CLUSTER}
preferences: {}
`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
