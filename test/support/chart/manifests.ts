/** The plain manifests in deploy/manifests, which are the Helm chart as helm renders it. */
import { render, valuesNamed } from './rendered-chart';

/** Files of deploy/manifests, and the value set of each. */
export const MANIFESTS: Readonly<Record<string, string>> = {
  'platform.yaml': 'defaults',
  'platform-single.yaml': 'single',
  'platform-external-etcd.yaml': 'external-etcd',
};

const NAME = 'platform';
const HEADER = `# Generated from deploy/chart by \`npm run manifests\`; do not edit.
apiVersion: v1
kind: Namespace
metadata:
  name: ${NAME}
  labels:
    pod-security.kubernetes.io/enforce: restricted
`;
/** Lines that are true only for releases of Helm, and empty lines. */
const HELM_LINES = /^(?:# Source: .*| +helm\.sh\/chart: .*| +app\.kubernetes\.io\/managed-by: .*|\s*)\n/gm;

/** The text of a file of {@link MANIFESTS} with the value set `values`. `helm`: path of the program. Throws what helm prints when it fails. */
export async function renderManifests(helm: string, values: string): Promise<string> {
  const args = [...valuesNamed(values), '--set', `fullnameOverride=${NAME}`, '--no-hooks'];
  return `${HEADER}${(await render(helm, NAME, args)).replaceAll(HELM_LINES, '')}`;
}
