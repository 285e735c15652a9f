const sites: Readonly<Record<string, string>> = {
  twitter: 'https://x.com',
  instagram: 'https://www.instagram.com',
  youtube: 'https://www.youtube.com',
  tiktok: 'https://www.tiktok.com',
  pinterest: 'https://www.pinterest.com',
  linkedin: 'https://www.linkedin.com',
  bluesky: 'https://bsky.app',
  facebook: 'https://www.facebook.com',
  threads: 'https://www.threads.net',
  googlebusiness: 'https://business.google.com',
};

export function platformUrl(platform: string): string {
  return sites[platform] ?? `https://${platform}.invalid`;
}
