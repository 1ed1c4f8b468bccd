/** Which admission plug-ins there are, in the order in which they run. */
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Admission } from '../registry/write/admission';
import { createAdmission, type AdmissionPlugins } from './chain';
import { namespaceLifecycle, protectedNamespaces } from './namespace-lifecycle';

export function defaultAdmission(names: GeneratedNames): Admission {
  const plugins: AdmissionPlugins = {
    mutating: [namespaceLifecycle()],
    validating: [protectedNamespaces(names)],
  };
  return createAdmission(plugins);
}
