import { html } from 'hono/html';
import type { OnboardSession } from '../state/session.ts';

/** The page where a seller agrees to connect a store with a partner. */
export function onboardingPage({ sid, partnerClientId }: OnboardSession) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Connect your store</title>
<link rel="icon" href="/sandbox/page/icon.svg">
<link rel="stylesheet" href="/sandbox/page/frame.css">
<link rel="stylesheet" href="/sandbox/page/content.css">
</head>
<body>
<header class="top"><a class="brand" href="/sandbox">Sandbox marketplace</a></header>
<main class="alone card stack">
<h1>Connect your store</h1>
<p>The partner <strong>${partnerClientId}</strong> asks to manage a new store of yours on the sandbox marketplace.</p>
<form method="post" action="/sandbox/onboarding/${sid}/agree"><button>Agree and connect</button></form>
</main>
</body>
</html>`;
}
