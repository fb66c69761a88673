import { PDFDocument, type PDFPage, StandardFonts } from '@cantoo/pdf-lib';
import type { Order } from '../state/order.ts';

interface Sheet {
  title: string;
  lines: readonly string[];
}

const MARGIN = 40;
const LINE_HEIGHT = 16;
const A6: [number, number] = [298, 420];

/** A shipping label; `includeItems` adds the list of the order's items. */
export function shippingLabelPdf(order: Order, includeItems: boolean): Promise<Uint8Array> {
  const { recipient } = order;
  const address = ['Ship to', recipient.name, recipient.phone, recipient.address];
  const items = includeItems
    ? ['', 'Items', ...order.items.map((item) => `${item.quantity} x ${item.name} (${item.sku})`)]
    : [];
  return render(order, { title: 'SHIPPING LABEL', lines: [...heading(order), '', ...address, ...items] });
}

export function invoicePdf(order: Order): Promise<Uint8Array> {
  const items = order.items.map((item) => `${item.quantity} x ${item.name}: ${item.quantity * item.price}`);
  const total = order.items.reduce((sum, item) => sum + item.quantity * item.price, 0);
  return render(order, { title: 'INVOICE', lines: [...heading(order), '', ...items, '', `Total: ${total}`] });
}

function heading(order: Order): string[] {
  return [`Order ${order.orderId}`, `Invoice ${order.invoiceNumber}`, `Store ${order.storeClientId}`];
}

/** The same order always gives the same bytes: all dates in the PDF are dates of the order. */
async function render(order: Order, { title, lines }: Sheet): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const created = new Date(order.createdAt);
  document.setTitle(`${title} ${order.invoiceNumber}`);
  document.setCreationDate(created);
  document.setModificationDate(created);
  const bold = await document.embedFont(StandardFonts.HelveticaBold);
  const plain = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage(A6);
  page.drawText(title, { x: MARGIN, y: topOf(page), size: 16, font: bold });
  for (const [index, line] of lines.entries()) {
    const y = topOf(page) - (index + 2) * LINE_HEIGHT;
    page.drawText(line, { x: MARGIN, y, size: 8, font: plain });
  }
  return document.save();
}

function topOf(page: PDFPage): number {
  return page.getHeight() - MARGIN;
}
