import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../shared/runtime/clock';
import { isProcessAlive } from '../../test/support/programs';
import { useFolder } from '../../test/support/use-resource';
import { stopLeftoverProcesses } from './leftover-processes';
import { writePid } from './process-file';

const folder = useFolder('leftover-processes');

describe('stopLeftoverProcesses', () => {
  it('removes the file of a process that exits before the signal is sent', async () => {
    // The shell collects the exit code of its child at once; this process could not do so in a synchronous call.
    const shell = spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [output] = (await once(shell.stdout, 'data')) as [Buffer];
    const pid = Number(output);
    writePid(path.join(folder, 'apiserver.pid'), pid);
    const lines: string[] = [];
    const killAndWait = (line: string): void => {
      lines.push(line);
      process.kill(pid, 'SIGKILL');
      while (isProcessAlive(pid));
    };
    await stopLeftoverProcesses({ folder, supervisorFile: 'supervisor.pid', clock: systemClock, print: killAndWait });
    expect(lines).toEqual([`waiting for apiserver (process ${pid}) of an earlier run to exit`]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
