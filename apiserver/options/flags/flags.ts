/** The API server's flags, under upstream's names. Unlisted flags are usage errors. */
import { featureGatesFlag } from '../../../shared/cli/feature-gates';
import {
  boolFlag,
  choiceFlag,
  decimalFlag,
  durationFlag,
  FlagError,
  intFlag,
  listFlag,
  repeatedFlag,
  stringFlag,
  versionFlag,
  type Flag,
  type FlagValues,
} from '../../../shared/cli/flags';
import { logLevelFlag, verbosityFlag } from '../../../shared/runtime/logger';
import { parsePortRange, parseServiceRanges, portRangeText, type PortRange, type ServiceRanges } from '../../allocation/ranges';
import { ADMISSION_PLUGINS, type PluginRegistration } from '../../admission/plugins/admission-plugins';
import { cipherSuitesFlag } from './cipher-suites';
import { AUDIT_FLAGS } from './audit-flags';
import { OIDC_FLAGS } from './oidc-flags';
import { UPSTREAM_FLAGS } from './upstream-flags';
import { runtimeConfigFlag } from './runtime-config';
import { AUTHORIZATION_MODES, type AuthorizationMode } from '../../server/access/authorizers';

const SERVING = 'Serving';
const STORAGE = 'Storage';
const ACCESS = 'Access';
const NODES = 'Nodes';
const SERVICES = 'Services';
const GENERAL = 'General';
const SECOND = 1000;
const MINUTE = 60 * SECOND;

export const FLAGS = {
  'bind-address': stringFlag({ section: SERVING, help: 'Address to serve HTTPS on.', default: '0.0.0.0' }),
  'secure-port': intFlag({ section: SERVING, help: 'Port to serve HTTPS on.', default: 6443, min: 0, max: 65535 }),
  'advertise-address': stringFlag({
    section: SERVING,
    help: 'IP address under which others reach this server; when empty, the one it listens on or the first of the machine that others can reach.',
    default: '',
  }),
  'tls-cert-file': stringFlag({
    section: SERVING,
    help: 'PEM file with the serving certificate; read again when it changes.',
    default: '',
  }),
  'tls-private-key-file': stringFlag({ section: SERVING, help: 'PEM file with the key of the serving certificate.', default: '' }),
  'tls-min-version': choiceFlag({
    section: SERVING,
    help: 'Oldest version of TLS that is spoken.',
    default: 'VersionTLS12',
    values: ['VersionTLS12', 'VersionTLS13'],
  }),
  'tls-cipher-suites': cipherSuitesFlag(SERVING),
  'external-hostname': stringFlag({
    section: SERVING,
    help: 'Host name under which clients find the server in documents that name it; when empty, the advertised address.',
    default: '',
  }),
  'cert-dir': stringFlag({
    section: SERVING,
    help: 'Where apiserver.crt and apiserver.key are taken from, or made, when no certificate is named.',
    default: '',
  }),
  'insecure-port': intFlag({
    section: SERVING,
    help: 'Loopback port for plain HTTP as the local administrator; 0 = none.',
    default: 0,
    min: 0,
    max: 65535,
  }),
  'insecure-bind-address': stringFlag({ section: SERVING, help: 'Loopback address for plain HTTP.', default: '127.0.0.1' }),
  'http2-max-streams-per-connection': intFlag({
    section: SERVING,
    help: 'Streams that an HTTP/2 client may have open.',
    default: 100,
    min: 1,
  }),
  'goaway-chance': decimalFlag({
    section: SERVING,
    help:
      'Share of requests with which an HTTP/2 client is sent to another connection, so that clients spread over the servers behind a load ' +
      'balancer; 0.001 is a good one there, and 0 where there is one server or no balancer.',
    default: 0,
    min: 0,
    max: 0.02,
  }),
  'max-connections': intFlag({
    section: SERVING,
    help: 'Connections that clients may have open; 0 = any number.',
    default: 10_000,
    min: 0,
  }),
  'max-connections-per-address': intFlag({
    section: SERVING,
    help: 'Connections that may be open from one IPv4 address or one /64 network of IPv6; 0 = any number.',
    default: 5000,
    min: 0,
  }),
  'unread-response-timeout': durationFlag({
    section: SERVING,
    help: 'Time after which a response or watch is ended of which its client has read nothing, although bytes wait; 0 = never.',
    default: MINUTE,
  }),
  'request-timeout': durationFlag({ section: SERVING, help: 'Time in which a request must be answered.', default: MINUTE }),
  'min-request-timeout': intFlag({
    section: SERVING,
    help: 'Least duration of a watch without timeoutSeconds, in seconds.',
    default: 1800,
    min: 1,
  }),
  'max-requests-inflight': intFlag({ section: SERVING, help: 'Reads worked on at a time; 0 = any number.', default: 400, min: 0 }),
  'enable-priority-and-fairness': boolFlag({
    section: SERVING,
    help: 'Flow schemas and priority levels decide who waits; the two limits on requests in flight together are the seats of all levels.',
    default: true,
  }),
  'max-mutating-requests-inflight': intFlag({
    section: SERVING,
    help: 'Writes worked on at a time; 0 = any number.',
    default: 200,
    min: 0,
  }),
  'shutdown-delay-duration': durationFlag({ section: SERVING, help: 'Time to go on serving after /readyz has begun to fail.', default: 0 }),
  'shutdown-send-retry-after': boolFlag({
    section: SERVING,
    help: 'Answer 429 with Retry-After instead of closing the port while draining.',
    default: false,
  }),
  'shutdown-watch-termination-grace-period': durationFlag({
    section: SERVING,
    help: 'Time over which watches are ended one after the other.',
    default: 2 * SECOND,
  }),
  'livez-grace-period': durationFlag({
    section: SERVING,
    help: 'Time after the start in which /livez overlooks steps that are not complete.',
    default: 0,
  }),
  'storage-backend': choiceFlag({ section: STORAGE, help: 'Where objects are stored.', default: 'etcd3', values: ['etcd3', 'embedded'] }),
  'storage-dir': stringFlag({ section: STORAGE, help: 'Folder of the embedded store.', default: '' }),
  'etcd-servers': listFlag({ section: STORAGE, help: 'URLs of the etcd members.', default: [] }),
  'etcd-cafile': stringFlag({ section: STORAGE, help: 'PEM file with the authority of etcd; read again when it changes.', default: '' }),
  'etcd-certfile': stringFlag({ section: STORAGE, help: 'PEM file with the client certificate for etcd.', default: '' }),
  'etcd-keyfile': stringFlag({ section: STORAGE, help: 'PEM file with the key of the client certificate for etcd.', default: '' }),
  'encryption-provider-config': stringFlag({
    section: STORAGE,
    help: 'File that says which resources are encrypted in the store, and with which keys.',
    default: '',
  }),
  'encryption-provider-config-automatic-reload': boolFlag({
    section: STORAGE,
    help: 'Read that file again when it changes.',
    default: false,
  }),
  'etcd-prefix': stringFlag({ section: STORAGE, help: 'Prefix of all keys.', default: '/registry' }),
  'etcd-compaction-interval': durationFlag({ section: STORAGE, help: 'Interval of compaction; 0 = never.', default: 5 * MINUTE }),
  'event-ttl': durationFlag({ section: STORAGE, help: 'How long Events are kept.', default: 60 * MINUTE }),
  'service-cluster-ip-range': serviceRanges(),
  'service-node-port-range': nodePortRange(),
  'service-external-ips': choiceFlag({
    section: ACCESS,
    help:
      'Whether anyone who may write Services may give them external IPs and, in the status, load balancer addresses; deny = only who may ' +
      'update services/externalips and services/loadbalancer.',
    default: 'deny',
    values: ['deny', 'allow'],
  }),
  'enable-admission-plugins': listFlag({
    section: ACCESS,
    help: `Admission plug-ins that are on besides those that are so by default: ${pluginNames('explicitly').join(', ')}.`,
    default: [],
  }),
  'disable-admission-plugins': listFlag({
    section: ACCESS,
    help: `Admission plug-ins that are off although they are on by default: ${pluginNames('by-default').join(', ')}.`,
    default: [],
  }),
  'admission-control-config-file': stringFlag({
    section: ACCESS,
    help: 'File AdmissionConfiguration: what it tells admission plug-ins.',
    default: '',
  }),
  'client-ca-file': stringFlag({ section: ACCESS, help: 'PEM file with the authorities of client certificates.', default: '' }),
  'requestheader-client-ca-file': stringFlag({
    section: ACCESS,
    help: 'PEM bundle of the authorities of proxies that authenticate others and say so in headers.',
    default: '',
  }),
  'requestheader-allowed-names': listFlag({
    section: ACCESS,
    help: 'Common names that the certificate of such a proxy may have; none = any.',
    default: [],
  }),
  'requestheader-username-headers': listFlag({
    section: ACCESS,
    help: 'Headers that name the user, the first that is there; X-Remote-User when no headers are named.',
    default: [],
  }),
  'requestheader-group-headers': listFlag({
    section: ACCESS,
    help: "Headers that name the user's groups; X-Remote-Group when no headers are named.",
    default: [],
  }),
  'requestheader-extra-headers-prefix': listFlag({
    section: ACCESS,
    help: 'Prefixes of headers with extra values of the user; X-Remote-Extra- when no headers are named.',
    default: [],
  }),
  'enable-bootstrap-token-auth': boolFlag({
    section: ACCESS,
    help: 'Let those in who present the token of a bootstrap Secret of the system namespace.',
    default: false,
  }),
  'token-auth-file': stringFlag({ section: ACCESS, help: 'CSV file with static tokens: token,user,uid[,"group1,group2"].', default: '' }),
  'kubelet-certificate-authority': stringFlag({
    section: NODES,
    help: 'PEM file of those who vouch for kubelets; without it every kubelet is believed.',
    default: '',
  }),
  'kubelet-client-certificate': stringFlag({ section: NODES, help: 'PEM file with the certificate that kubelets are shown.', default: '' }),
  'kubelet-client-key': stringFlag({ section: NODES, help: 'PEM file with the key of that certificate.', default: '' }),
  'kubelet-preferred-address-types': listFlag({
    section: NODES,
    help: "Types of nodes' addresses, the most preferred first.",
    default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
  }),
  'kubelet-timeout': durationFlag({ section: NODES, help: 'For a connection to a kubelet to stand.', default: 5_000 }),
  'proxy-client-cert-file': stringFlag({
    section: ACCESS,
    help: 'PEM file with the certificate that servers behind APIServices are shown, so that they believe what is said of users.',
    default: '',
  }),
  'proxy-client-key-file': stringFlag({ section: ACCESS, help: 'PEM file with the key of that certificate.', default: '' }),
  'authorization-policy-file': stringFlag({
    section: ACCESS,
    help: 'File with a policy a line, for --authorization-mode=ABAC.',
    default: '',
  }),
  'authorization-config': stringFlag({
    section: ACCESS,
    help: 'File with an AuthorizationConfiguration, in place of --authorization-mode. Read again when it changes.',
    default: '',
  }),
  'authorization-webhook-config-file': stringFlag({
    section: ACCESS,
    help: 'Kubeconfig of the server that decides, for --authorization-mode=Webhook.',
    default: '',
  }),
  'authorization-webhook-version': choiceFlag({
    section: ACCESS,
    help: 'Version of the SubjectAccessReviews that it is sent.',
    default: 'v1beta1',
    values: ['v1', 'v1beta1'],
  }),
  'authorization-webhook-cache-authorized-ttl': durationFlag({
    section: ACCESS,
    help: 'How long it is remembered that something is allowed.',
    default: 300_000,
  }),
  'authorization-webhook-cache-unauthorized-ttl': durationFlag({
    section: ACCESS,
    help: 'How long it is remembered that something is not.',
    default: 30_000,
  }),
  'authentication-token-webhook-config-file': stringFlag({
    section: ACCESS,
    help: 'Kubeconfig of a server that knows tokens which nobody here knows.',
    default: '',
  }),
  'authentication-token-webhook-version': choiceFlag({
    section: ACCESS,
    help: 'Version of the TokenReviews that it is sent.',
    default: 'v1beta1',
    values: ['v1', 'v1beta1'],
  }),
  'authentication-token-webhook-cache-ttl': durationFlag({
    section: ACCESS,
    help: 'How long it is remembered whose a token is.',
    default: 120_000,
  }),
  'service-account-key-file': repeatedFlag({
    section: ACCESS,
    help: 'PEM file with keys that service account tokens are checked with; may be repeated.',
    default: [],
  }),
  'service-account-jwks-uri': stringFlag({
    section: ACCESS,
    help: 'https address of the keys of tokens that the OpenID configuration names, where it is not this server.',
    default: '',
  }),
  'service-account-signing-key-file': stringFlag({
    section: ACCESS,
    help: 'PEM file with the private key that service account tokens are signed with.',
    default: '',
  }),
  'service-account-issuer': repeatedFlag({
    section: ACCESS,
    help: 'Who issues service account tokens; may be repeated: the first signs, all are taken.',
    default: [],
  }),
  'api-audiences': listFlag({
    section: ACCESS,
    help: 'What tokens have to be made for to be taken; the issuers when not given.',
    default: [],
  }),
  'service-account-max-token-expiration': durationFlag({
    section: ACCESS,
    help: 'The longest that a service account token may be asked for; 0 = 2^32 seconds.',
    default: 0,
  }),
  'service-account-extend-token-expiration': boolFlag({
    section: ACCESS,
    help: "Whether a pod's token goes on for a year, so that programs which do not read it anew are only counted.",
    default: true,
  }),
  'anonymous-auth': boolFlag({
    section: ACCESS,
    help: 'Whether requests without credentials are let in as system:anonymous; under AlwaysAllow only when this is said.',
    default: true,
  }),
  'authorization-mode': authorizationModes(),
  ...AUDIT_FLAGS,
  ...OIDC_FLAGS,
  naming: choiceFlag({
    section: GENERAL,
    help: 'Spelling of the names that the server itself makes.',
    default: 'platform',
    values: ['platform', 'kubernetes'],
  }),
  'tracing-config-file': stringFlag({
    section: GENERAL,
    help: 'Where traces of requests are sent, and of how many of them (kind TracingConfiguration); none when not given.',
    default: '',
  }),
  'feature-gates': featureGatesFlag(GENERAL),
  'runtime-config': runtimeConfigFlag(GENERAL),
  'log-level': logLevelFlag(GENERAL),
  v: verbosityFlag(GENERAL),
  version: versionFlag(GENERAL),
  ...UPSTREAM_FLAGS,
};

/** Names of the implemented plug-ins with this default. */
function pluginNames(on: PluginRegistration['enabledWhen']): readonly string[] {
  return ADMISSION_PLUGINS.filter((row) => row.create !== undefined && (row.enabledWhen === on || row.enabledWhen === 'with-nodes')).map(
    ({ name }) => name,
  );
}

export type ServerFlags = FlagValues<typeof FLAGS>;

/** Authorization modes in order. Unknown modes are rejected by name. */
function authorizationModes(): Flag<readonly AuthorizationMode[]> {
  const modeList = listFlag({
    section: ACCESS,
    help: `Authorizers in their order: ${AUTHORIZATION_MODES.join(', ')}.`,
    default: ['Node', 'RBAC'],
  });
  return {
    ...modeList,
    default: ['Node', 'RBAC'],
    bareValue: undefined,
    parse(text, previous) {
      const modes = modeList.parse(text, previous).map((word) => {
        const mode = AUTHORIZATION_MODES.find((known) => known === word);
        if (mode === undefined)
          throw new FlagError(`${JSON.stringify(word)} is not a valid mode; valid are ${AUTHORIZATION_MODES.join(', ')}`);
        return mode;
      });
      if (new Set(modes).size < modes.length)
        throw new FlagError(`[${modes.map((mode) => JSON.stringify(mode)).join(' ')}] has mode specified more than once`);
      return modes;
    },
    formatDefault: (modes) => `[${modes.join(',')}]`,
  };
}

function serviceRanges(): Flag<ServiceRanges> {
  const parse = (text: string): ServiceRanges => {
    const ranges = parseServiceRanges(text);
    if (typeof ranges === 'string') throw new FlagError(ranges);
    return ranges;
  };
  return {
    section: SERVICES,
    help: 'CIDR range from which Services get addresses, or two of different families, comma-separated.',
    default: parse('10.0.0.0/24'),
    placeholder: 'cidr[,cidr]',
    bareValue: undefined,
    parse,
    formatDefault: (ranges) => ranges.map(({ text }) => text).join(','),
  };
}

function nodePortRange(): Flag<PortRange> {
  const parse = (text: string): PortRange => {
    const range = parsePortRange(text);
    if (typeof range === 'string') throw new FlagError(range);
    return range;
  };
  return {
    section: SERVICES,
    help: 'Ports from which Services get node ports.',
    default: parse('30000-32767'),
    placeholder: 'first-last',
    bareValue: undefined,
    parse,
    formatDefault: portRangeText,
  };
}
