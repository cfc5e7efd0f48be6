// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/style_sheet.h"

#include "widgets/look/tokens.h"

namespace nestwright::look {

namespace {

constexpr const char *sheet = R"(
QMainWindow, QDialog, QMessageBox { background: $ground; }
QMainWindow::separator { background: transparent; width: 8px; height: 8px; }
QMainWindow::separator:hover { background: $selectionFill; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: $selectionFill; }
QToolBar { background: $pane; border: none; border-bottom: 1px solid $hairline; spacing: 6px;
    padding: 6px 12px; }
QToolBar::separator { background: transparent; width: 10px; }
QStatusBar { background: $ground; color: $secondary; }
QStatusBar::item { border: none; }

QLabel { background: transparent; }
QLabel[role="title"] { font-weight: 600; }
QLabel[role="secondary"] { color: $secondary; }
QLabel[role="faint"] { color: $faint; }
QLabel[role="bad"] { color: $bad; }
QLabel[role="good"] { color: $good; }

QToolTip { background: $pane; color: $text; border: 1px solid $hairline; padding: 4px 6px; }

QMenuBar { background: $pane; color: $text; border-bottom: 1px solid $hairline; padding: 2px 8px; }
QMenuBar::item { padding: 4px 8px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $pane; color: $text; border: 1px solid $hairline; padding: 5px; }
QMenu::item { padding: 5px 28px 5px 10px; border-radius: 4px; border: none; margin: 1px 0; }
QMenu::icon { padding-left: 6px; }
QMenu::item:selected { background: $selectionFill; color: $text; }
QMenu::item:disabled { color: $faint; background: transparent; }
QMenu::separator { height: 1px; background: $hairline; margin: 5px 6px; }

QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QTextEdit, QPlainTextEdit {
    background: $field; color: $text; border: 1px solid $hairline; border-radius: 6px; padding: 3px 8px;
    selection-background-color: $accent; selection-color: $onAccent; }
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox { min-height: 20px; }
QLineEdit:hover, QSpinBox:hover, QDoubleSpinBox:hover, QComboBox:hover { border-color: $nodeBorder; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus, QTextEdit:focus,
QPlainTextEdit:focus {
    border: 1px solid $accent; background: $pane; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled {
    color: $faint; background: $ground; }
QLineEdit[wrong="true"], QSpinBox[wrong="true"] { border-color: $bad; }
QComboBox { background: $pane; padding-right: 22px; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url(:/nestwright/style/chevron-down.svg); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: $pane; border: 1px solid $hairline; padding: 4px; outline: none; }
QComboBox QAbstractItemView::item { min-height: 24px; padding: 0 6px; border-radius: 4px; }
QComboBox QAbstractItemView::item:selected { background: $selectionFill; color: $text; }
QSpinBox::up-button, QDoubleSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::down-button {
    border: none; background: transparent; width: 16px; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow {
    image: url(:/nestwright/style/chevron-up.svg); width: 10px; height: 10px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {
    image: url(:/nestwright/style/chevron-down.svg); width: 10px; height: 10px; }

QPushButton { background: $pane; color: $text; border: 1px solid $hairline; border-radius: 6px;
    padding: 4px 12px; min-height: 18px; font-weight: 500; }
QPushButton[small="true"] { padding: 1px 6px; }
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $chip; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $faint; background: $ground; }
QPushButton:default { background: $accent; border-color: $accent; color: $onAccent; }
QPushButton:default:hover { background: $accentHover; }
QPushButton:default:disabled { color: $faint; background: $ground; border-color: $hairline; }
QToolButton { background: transparent; color: $text; border: 1px solid transparent; border-radius: 6px;
    padding: 4px; }
QToolButton:hover { background: $hover; }
QToolButton:pressed, QToolButton:checked { background: $selectionFill; }
QToolButton:focus { border-color: $accent; }
QToolButton:disabled { color: $faint; }
QToolButton::menu-indicator { image: none; }

QCheckBox, QRadioButton { spacing: 8px; background: transparent; }
QCheckBox:disabled, QRadioButton:disabled { color: $faint; }
QCheckBox::indicator, QRadioButton::indicator, QTableWidget::indicator, QTreeWidget::indicator {
    width: 14px; height: 14px; border: 1px solid $nodeBorder; background: $pane; }
QCheckBox::indicator, QTableWidget::indicator, QTreeWidget::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:hover, QRadioButton::indicator:hover { border-color: $accent; }
QCheckBox::indicator:checked, QTableWidget::indicator:checked, QTreeWidget::indicator:checked {
    background: $accent; border-color: $accent; image: url(:/nestwright/style/check.svg); }
QRadioButton::indicator:checked { border: 5px solid $accent; width: 6px; height: 6px; }
QCheckBox:focus, QRadioButton:focus { color: $link; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $scroll; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $nodeBar; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; }

QTreeView, QTableView, QListView, QTreeWidget, QTableWidget, QListWidget {
    background: $pane; color: $text; border: none; outline: none; alternate-background-color: $ground;
    selection-background-color: $selectionFill; selection-color: $text; gridline-color: $hairline; }
QTreeView::item { padding: 4px 2px; border: none; }
QListView::item { padding: 4px 2px; }
QTreeView::item:hover, QListView::item:hover { background: $hover; }
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected {
    background: $selectionFill; color: $text; }
QHeaderView { background: $pane; }
QHeaderView::section { background: $pane; color: $secondary; border: none; padding: 4px 6px;
    font-weight: 400; }
QHeaderView::section:hover { color: $text; }
QTableCornerButton::section { background: $pane; border: none; }

QTabWidget::pane { border: none; }
QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: $secondary; padding: 5px 10px; border: none;
    border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $link; border-bottom: 2px solid $accent; font-weight: 600; }
QTabBar::tab:focus { background: $hover; }

QProgressBar { background: $chip; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QGroupBox { border: 1px solid $hairline; border-radius: 6px; margin-top: 14px; padding: 8px;
    font-weight: 600; }
QGroupBox::title { subcontrol-origin: margin; left: 8px; color: $secondary; }
)";

QString name(const QColor &color) { return color.name(); }

} // namespace

QString styleSheet(const Tokens &t)
{
    QString text = QString::fromLatin1(sheet);
    // Longer names first where one begins with another.
    const std::pair<const char *, QColor> values[] = {
        {"$ground", t.ground},
        {"$pane", t.pane},
        {"$hairline", t.hairline},
        {"$text", t.text},
        {"$secondary", t.secondary},
        {"$faint", t.faint},
        {"$selectionFill", t.selectionFill},
        {"$accentHover", t.accentHover},
        {"$accent", t.accent},
        {"$onAccent", t.onAccent},
        {"$hover", t.hover},
        {"$good", t.good},
        {"$bad", t.bad},
        {"$chip", t.chip},
        {"$link", t.link},
        {"$nodeBorder", t.nodeBorder},
        {"$nodeBar", t.nodeBar},
        {"$field", t.dark ? t.ground : t.pane},
        {"$scroll", mixed(t.pane, t.nodeBar, t.dark ? 0.4 : 0.55)}};
    for (const auto &[key, color] : values)
        text.replace(QLatin1String(key), name(color));
    return text;
}

} // namespace nestwright::look
