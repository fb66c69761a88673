import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { inflate } from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

const PACKAGE = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..');
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache');

/** Names another Chromium, where the packaged one does not run: it is built for Linux on x64. */
const BROWSER_PATH = process.env.BROWSER_PATH;

/** Whether there is a browser for this machine. */
export const hasBrowser =
  BROWSER_PATH !== undefined || (process.platform === 'linux' && process.arch === 'x64');

/**
 * Starts a headless Chromium. The packaged one brings its own libraries and fonts, so that nothing needs to be
 * installed; it is unpacked once per version, into node_modules/.cache.
 */
export async function startBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none'];
  if (BROWSER_PATH !== undefined) return chromium.launch({ executablePath: BROWSER_PATH, args });
  const home = await unpacked();
  const env = {
    HOME: home,
    LD_LIBRARY_PATH: join(home, 'al2023/lib'),
    FONTCONFIG_FILE: join(home, 'fonts.conf'),
  };
  return chromium.launch({ executablePath: join(home, 'chromium'), args, env });
}

/** The folder of the unpacked browser: complete as soon as it is there, even if others unpack at the same time. */
async function unpacked(): Promise<string> {
  const home = join(CACHE, `chromium-${packageVersion()}`);
  if (existsSync(home)) return home;
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(join(CACHE, 'chromium-unpacking-'));
  await unpackInto(fresh);
  await writeFile(join(fresh, 'fonts.conf'), fontConfiguration(home));
  await rename(fresh, home).catch(() => rm(fresh, { recursive: true }));
  return home;
}

/** The package unpacks into the folder for temporary files. */
async function unpackInto(folder: string): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    const archives = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'];
    await Promise.all(archives.map((archive) => inflate(join(PACKAGE, 'bin', archive))));
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** The fonts of the package are the only ones, so that the page looks the same on every machine. */
function fontConfiguration(home: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(home, 'fonts')}</dir>
  <cachedir>${join(home, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
