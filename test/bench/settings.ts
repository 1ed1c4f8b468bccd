/** What was asked for on the command line. */
export const TOKEN = 'bench-token';

export const text = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
export const option = (name: string, absent: number): number => Number(text(name) ?? absent);
export const names = (name: string, absent: string): readonly string[] => (text(name) ?? absent).split(',');

/** How long each thing is measured. */
export const seconds = option('seconds', 4);
export const stores = names('stores', 'embedded,etcd');
