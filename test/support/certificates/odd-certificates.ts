/**
 * Self-signed certificates with subjects that the libraries of these tests cannot create, valid for a hundred years.
 */
import { readRepositoryFile } from '../repository';

const readPem = (file: string): string => readRepositoryFile(`test/support/certificates/pem/${file}`);

/** Subject O=a,b CN=first O=c CN=second, each attribute in an RDN of its own. */
export const TWO_COMMON_NAMES = { certificate: readPem('two-common-names.crt'), key: readPem('two-common-names.key') };

/** Subject CN=first and CN=second in one multi-valued RDN. */
export const COMMON_NAMES_IN_ONE_RDN = readPem('common-names-in-one-rdn.crt');

/** Without a subject. */
export const NO_SUBJECT = readPem('no-subject.crt');
