/**
 * The certificates between an API server and etcd expire or are replaced: the log names the member, the reason and the
 * remedy.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readCertificate, type Credential } from '../../../shared/pki/certificates';
import {
  makeAuthority,
  makePair,
  pairPaths,
  savePair,
  type PairFiles,
  type CertificateValidity,
} from '../../support/certificates/credential-files';
import { isReady } from '../../../deploy/local/readiness';
import { describeWithEtcd, startEtcd, type EtcdServer } from '../../support/external/etcd';
import { ApiClient } from '../../support/http/api-client';
import { freePort } from '../../support/ports';
import { launchApiServer, startApiServer, waitUntil, type ApiServer, type ProgramProcess } from '../../support/programs';
import { stopAfterTest, useFolder, useResource } from '../../support/use-resource';

describeWithEtcd('an API server on etcd with TLS', () => {
  const folder = useFolder('operate-etcd');
  const ca = path.join(folder, 'etcd-ca.crt');
  const otherAuthority = useResource(() => makeAuthority('other'));
  const authority = useResource(async () => {
    const created = await makeAuthority('etcd');
    writeFileSync(ca, created.certificate);
    return created;
  });
  const killAfterTest = stopAfterTest((process: ProgramProcess) => process.kill());
  const disposeAfterTest = stopAfterTest((member: EtcdServer) => member.dispose());

  /** Saves the pair in a folder of its own. */
  const savePairFiles = (pair: Credential): PairFiles => {
    const files = pairPaths(mkdtempSync(path.join(folder, 'pair-')), 'etcd');
    savePair(files, pair);
    return files;
  };
  const startMember = async (files: PairFiles): Promise<EtcdServer> => disposeAfterTest(await startEtcd({ tls: { ca, ...files } }));
  const startServer = async (etcd: EtcdServer, files: PairFiles): Promise<ApiServer> => {
    const args = argumentsFor(files);
    const server = await startApiServer({ folder, securePort: await freePort(), etcdServers: etcd.endpoint, args });
    killAfterTest(server.process);
    return server;
  };
  const argumentsFor = ({ cert, key }: PairFiles): readonly string[] => [
    `--etcd-cafile=${ca}`,
    `--etcd-certfile=${cert}`,
    `--etcd-keyfile=${key}`,
  ];

  /** How a certificate differs from a valid one of the authority of etcd. */
  interface CertificateDefect {
    readonly validity?: CertificateValidity;
    readonly names?: readonly string[];
    readonly isFromOtherAuthority?: boolean;
  }

  interface DefectCase {
    readonly member?: CertificateDefect;
    readonly client?: CertificateDefect;
    /** The reason in the log. */
    readonly reason: RegExp;
    readonly remedy: RegExp;
  }

  const issuePair = async (usage: 'server' | 'client', defect: CertificateDefect): Promise<PairFiles> => {
    const issuer = defect.isFromOtherAuthority === true ? otherAuthority() : authority();
    return savePairFiles(await makePair(issuer, usage, defect));
  };

  test.each<readonly [title: string, defects: DefectCase]>([
    [
      'the certificate of the member has expired',
      { member: { validity: 'expired' }, reason: /certificate has expired/, remedy: /renew the certificate of the member/ },
    ],
    [
      'the certificate of the member is not valid yet',
      { member: { validity: 'not yet valid' }, reason: /not yet valid/, remedy: /correct the clock/ },
    ],
    [
      'the certificate of the member has another name',
      {
        member: { names: ['etcd.example.com'] },
        reason: /does not match certificate's altnames/,
        remedy: /use a name in --etcd-servers that the certificate of the member contains/,
      },
    ],
    [
      'the certificate of the member comes from another authority',
      { member: { isFromOtherAuthority: true }, reason: /unable to|self.signed/, remedy: /--etcd-cafile must contain/ },
    ],
    [
      'the client certificate comes from another authority',
      { client: { isFromOtherAuthority: true }, reason: /alert/, remedy: /--etcd-certfile and --etcd-keyfile/ },
    ],
    [
      'the client certificate has expired',
      { client: { validity: 'expired' }, reason: /alert/, remedy: /the certificate of --etcd-certfile has expired at/ },
    ],
  ])(
    'logs the reason and exits when %s',
    async (_title, { member = {}, client = {}, reason, remedy }) => {
      const etcd = await startMember(await issuePair('server', member));
      const args = argumentsFor(await issuePair('client', client));
      const options = { folder, securePort: await freePort(), etcdServers: etcd.endpoint, args };
      const process = killAfterTest(await launchApiServer(options));
      expect((await process.exited).code).toBe(1);
      const lines = process.output.split('\n').filter((text) => text.includes('a member of etcd cannot be reached'));
      // When the member closes the connection before its alert is read, that attempt logs the closed connection, and
      // another one the reason.
      const line = lines.find((text) => reason.test(text)) ?? lines[0] ?? '';
      expect(JSON.parse(line)).toMatchObject({ level: 'warn', endpoint: etcd.endpoint, reason: expect.stringMatching(reason) });
      expect(line).toMatch(remedy);
      // The last message names the member too.
      expect(process.output).toContain(`apiserver: No connection established. Last error: ${etcd.endpoint}: `);
    },
    60_000,
  );

  test('exposes when the client certificate for etcd and the authority of etcd expire', async () => {
    const files = savePairFiles(await makePair(authority(), 'peer'));
    const etcd = await startMember(files);
    const server = await startServer(etcd, files);
    const client = new ApiClient(server.address, server.certificates);
    const { text } = await client.get('/metrics');
    client.close();
    for (const [name, file] of [
      ['etcd-client', files.cert],
      ['etcd-ca', ca],
    ] as const) {
      const { notAfter } = readCertificate(readFileSync(file, 'latin1'));
      expect(text).toContain(`\ntls_certificate_expiration_timestamp_seconds{certificate="${name}"} ${notAfter / 1000}\n`);
    }
    expect(await server.process.stop()).toBe(0);
  }, 60_000);

  test('logs a certificate of a member that expires at run time and becomes ready when it is renewed', async () => {
    const files = savePairFiles(await makePair(authority(), 'peer'));
    const etcd = await startMember(files);
    const server = await startServer(etcd, files);
    await etcd.stop();
    savePair(files, await makePair(authority(), 'server', { validity: 'expired' }));
    await etcd.restart();
    await waitUntil(
      'the log to name the member',
      () => /certificate has expired.*renew the certificate of the member.*cannot be reached/.test(server.process.output),
      45_000,
    );
    expect(server.process.output).toContain(`"endpoint":"${etcd.endpoint}"`);
    await etcd.stop();
    savePair(files, await makePair(authority(), 'peer'));
    await etcd.restart();
    await waitUntil('the server to be ready again', () => isReady({ address: server.address, ...server.certificates }), 30_000);
    expect(await server.process.stop()).toBe(0);
  }, 120_000);
});
